import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import t from 'tap';
import { homeFolder } from '../../features/support/home.ts';
import { Service } from '../../features/support/process.ts';
import { svcProgram } from '../../features/support/target.ts';

t.setTimeout(300_000);

const ORG = '/api/v1/orgs/dev';
const PROJECT = `${ORG}/projects/main`;
const CANARY = 'canary-value-of-an-argument';

const folder = await homeFolder('svc-mcp-attack-');
const env = { PATH: process.env.PATH ?? '', HOME: folder };
const startDev = (port: string) => new Service(svcProgram, ['dev', '--port', port], { cwd: folder, env });
let dev = startDev('0');
t.teardown(async () => {
  await dev.kill('SIGTERM');
  await rm(folder, { recursive: true, force: true });
});
const [, address = ''] = await dev.says(/is ready: (\S+)/);
const url = address.replace(/\/$/, '');
const { token } = JSON.parse(await readFile(join(folder, '.svc/profile.json'), 'utf8')) as { token: string };

/** Whatever the API answers. */
// biome-ignore lint/suspicious/noExplicitAny: the tests read a few members of many shapes
type Answer = any;

async function api(method: string, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function connect(options: { as?: string; path?: string } = {}): Promise<Client> {
  const { as = token, path = `${PROJECT}/mcp` } = options;
  const client = new Client({ name: 'attack', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${as}` } };
  // Its types are not exact about optional members.
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}${path}`), { requestInit }) as never);
  t.teardown(() => client.close());
  return client;
}

/** Sends what no client would send. */
async function send(body: string, path = `${PROJECT}/mcp`): Promise<{ status: number; json: Answer; text: string }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body });
  const text = await response.text();
  return { status: response.status, text, json: text === '' ? undefined : JSON.parse(text) };
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [{ text }] = content as [{ text: string }];
  return { json: JSON.parse(text), isError: isError === true };
}

const calls = async (): Promise<Answer[]> => (await api('GET', `${PROJECT}/audit?action=mcp.call&limit=200`)).entries;
const countOf = async (what: 'runs' | 'events') => (await api('GET', `${PROJECT}/${what}?limit=200`))[what].length;

const tokenOf = async (user: string, role: string, limits: object = {}): Promise<string> => {
  await api('PUT', `${ORG}/members/${user}`, { role: 'member' });
  await api('PUT', `${PROJECT}/members/${user}`, { role });
  return (await api('POST', '/api/v1/tokens', { name: `of-${user}`, org: 'dev', user, ...limits })).token;
};

const graph = { version: 'svc-graph/v1', nodes: [{ id: 'one', type: 'set', config: { values: { n: 1 } } }] };
await api('PUT', `${PROJECT}/graphs/greet`, graph);
const viewer = await tokenOf('vera', 'viewer');

t.test('each call is audited, also one that reads or is rejected, and without its arguments', async (t) => {
  const client = await connect();
  const read_only = await connect({ path: `${PROJECT}/mcp?read_only=true` });
  const { json: run } = await call(client, 'run_workflow', { kind: 'graph', name: 'greet', input: CANARY });
  await call(client, 'get_run', { run_id: run.run_id });
  await call(client, 'list_events', { type: CANARY });
  await call(client, 'get_run', { run_id: 'run_none' });
  await call(client, 'get_run', { canary: CANARY });
  await t.rejects(client.callTool({ name: 'no_such_tool', arguments: { a: CANARY } }));
  await t.rejects(read_only.callTool({ name: 'emit_event', arguments: { type: CANARY } }));
  await call(await connect({ as: viewer }), 'emit_event', { type: 'a.b', payload: CANARY });
  await send(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_run', arguments: [7] } }),
  );
  const entries = await calls();
  t.match(entries.map(({ subject, detail, principal }) => [subject, detail, principal.name]).reverse(), [
    ['run_workflow', 'ok', 'dev'],
    ['get_run', `ok ${run.run_id}`],
    ['list_events', 'ok'],
    ['get_run', 'not_found run_none'],
    ['get_run', 'invalid_request'],
    ['no_such_tool', 'unknown_tool'],
    ['emit_event', 'unknown_tool'],
    ['emit_event', 'forbidden', 'vera'],
    ['get_run', 'invalid_params'],
  ]);
  t.notMatch(JSON.stringify(entries), CANARY);
});

t.test('no tool exceeds the role of its token', async (t) => {
  const { tools } = await (await connect()).listTools();
  const changing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true);
  t.ok(changing.length >= 8, changing.map(({ name }) => name).join());
  const before = [await countOf('runs'), await countOf('events')];
  const [{ run_id }] = (await api('GET', `${PROJECT}/runs`)).runs;
  const seen = await connect({ as: viewer });
  const offered = (await seen.listTools()).tools.map(({ name }) => name);
  const args: Record<string, object> = {
    run_workflow: { kind: 'graph', name: 'greet' },
    run_script: { filename: 'a.sh', source: 'true' },
    emit_event: { type: 'a.b' },
    approve: { run_id, name: 'x' },
    reject: { run_id, name: 'x' },
    graph_greet: {},
  };
  for (const { name } of changing) {
    t.notOk(offered.includes(name), `a viewer is not offered ${name}`);
    const refused = await call(seen, name, { ...(args[name] ?? { run_id }) });
    t.match(refused, { isError: true, json: { code: 'forbidden' } }, name);
  }
  t.same([await countOf('runs'), await countOf('events')], before, 'nothing was started or recorded');
});

t.test('a token reaches nothing of another project', async (t) => {
  await api('PUT', `${ORG}/projects/other`, {});
  await api('PUT', `${ORG}/projects/other/graphs/hidden`, graph);
  const { run_id } = await api('POST', `${ORG}/projects/other/runs`, { graph: 'hidden', paused: true });
  const limited = await tokenOf('mia', 'member', { project: 'main' });
  await t.rejects(connect({ as: limited, path: `${ORG}/projects/other/mcp` }), 'the other project is not there');
  await t.rejects(connect({ as: limited, path: `${ORG}/projects/main%2F..%2Fother/mcp` }));
  const client = await connect({ as: limited });
  const { json: absent } = await call(client, 'get_run', { run_id: 'run_01J00000000000000000000000' });
  const names = [
    run_id,
    `../../other/runs/${run_id}`,
    `..%2F..%2Fother%2Fruns%2F${run_id}`,
    `${run_id}?x=`,
    `${run_id}#`,
  ];
  for (const name of names)
    for (const tool of ['get_run', 'explain_run', 'list_run_steps', 'read_run_log', 'cancel_run', 'rerun_run']) {
      const { json, isError } = await call(client, tool, { run_id: name });
      t.ok(isError, `${tool} ${name}`);
      t.equal(json.code, absent.code, `${tool} ${name} answers as for what is not there`);
    }
  t.match(await call(client, 'graph_hidden'), { isError: true, json: { code: 'not_found' } });
  t.match(await call(client, 'run_workflow', { kind: 'graph', name: 'hidden' }), { isError: true });
  t.equal((await api('GET', `${ORG}/projects/other/runs/${run_id}`)).status, 'queued');
});

t.test('hostile messages get an error, and the server continues', async (t) => {
  const message = (params: string, method = 'tools/call') =>
    `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":${params}}`;
  const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const hostile = {
    'a prototype as arguments': message('{"name":"get_run","arguments":{"__proto__":{"run_id":"x"}}}'),
    'a constructor as arguments': message('{"name":"get_run","arguments":{"constructor":{"prototype":{"a":1}}}}'),
    'a prototype as tool': message('{"name":"__proto__","arguments":{}}'),
    'a method of objects as tool': message('{"name":"toString","arguments":{}}'),
    'half a character': message('{"name":"get_run","arguments":{"run_id":"\\ud800"}}'),
    'half a character as tool': message('{"name":"graph_\\ud800","arguments":{}}'),
    'zero bytes': message('{"name":"get_run","arguments":{"run_id":"a\\u0000b"}}'),
    'a long tool name': message(`{"name":"graph_${'x'.repeat(500_000)}","arguments":{}}`),
    'deep arguments': message(`{"name":"emit_event","arguments":{"type":"a.b","payload":${deep(50_000)}}}`),
    'deep input': message(`{"name":"run_workflow","arguments":{"kind":"graph","name":"greet","input":${deep(5000)}}}`),
    'a huge argument': message(`{"name":"emit_event","arguments":{"type":"a.b","payload":"${'x'.repeat(6_000_000)}"}}`),
    'many arguments': message(
      `{"name":"get_run","arguments":{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":1`).join()}}}`,
    ),
    'a number as name': message('{"name":7}'),
    'a list as arguments': message('{"name":"get_run","arguments":[]}'),
    'null arguments': message('{"name":"get_run","arguments":null}'),
    'a huge number': message('{"name":"list_runs","arguments":{"limit":1e400}}'),
    'an object as cursor': message('{"cursor":{"a":1}}', 'tools/list'),
    'a forged cursor': message('{"cursor":"eyJncmFwaHMiOiIuLi8uLiJ9"}', 'tools/list'),
    'a method of objects': message('{}', 'constructor'),
    'a batch': `[${message('{"name":"list_runs"}')}]`,
    'no JSON': '{"jsonrpc":',
  };
  for (const [what, body] of Object.entries(hostile)) {
    const { status, json, text } = await send(body);
    t.ok(status < 500, `${what}: ${status} ${text.slice(0, 200)}`);
    const fails = status >= 400 || json.error !== undefined || json.result.isError === true || json.result.tools;
    t.ok(fails, `${what}: ${text.slice(0, 200)}`);
    t.notMatch(text, /node_modules|at .*\.ts:\d/, `${what} shows no code`);
  }
  t.equal(({} as Answer).run_id, undefined);
  t.match(await call(await connect(), 'list_runs'), { isError: false });
});

t.test('a hundred calls at once, and those that nobody waits for', async (t) => {
  const client = await connect();
  const once_only = { kind: 'graph', name: 'greet', idempotency_key: 'at-once', wait_seconds: 0 };
  const started = await Promise.all(Array.from({ length: 100 }, () => call(client, 'run_workflow', once_only)));
  t.equal(new Set(started.filter(({ isError }) => !isError).map(({ json }) => json.run_id)).size, 1);
  for (const { isError, json } of started) if (isError) t.match(json, { code: /^[a-z_]+$/, next: String });

  const source = 'svc wait-signal go\necho done\n';
  const { json: waiting } = await call(client, 'run_script', { filename: 'w.sh', source, wait_seconds: 0 });
  const controllers = Array.from({ length: 20 }, () => new AbortController());
  const abandoned = controllers.map(({ signal }) =>
    client.callTool({ name: 'get_run', arguments: { run_id: waiting.run_id, wait_seconds: 50 } }, undefined, {
      signal,
    }),
  );
  const settled = Promise.allSettled(abandoned);
  // An answer proves that the calls before it have arrived.
  await call(client, 'list_runs');
  for (const controller of controllers) controller.abort();
  t.ok((await settled).every(({ status }) => status === 'rejected'));
  const began = performance.now();
  t.match(await call(client, 'get_run', { run_id: waiting.run_id }), { isError: false });
  t.ok(performance.now() - began < 40_000, 'nothing waits for those that are gone');
  t.match(await call(client, 'cancel_run', { run_id: waiting.run_id }), { isError: false });
});

t.test('a run outlives the client that is killed and the server that is killed', async (t) => {
  const agent = spawn(svcProgram, ['mcp'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const source = 'svc step first -- echo once\nsvc wait-signal go\necho done\n';
  const params = { name: 'run_script', arguments: { filename: 'long.sh', source, wait_seconds: 0 } };
  const follow = { name: 'get_run', arguments: { wait_seconds: 50 } };
  agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
  const [answer] = (await once(agent.stdout, 'data')) as [Buffer];
  const { run_id } = JSON.parse(JSON.parse(answer.toString()).result.content[0].text);
  const waits = { ...follow, arguments: { ...follow.arguments, run_id } };
  agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: waits })}\n{"jsonrpc`);
  agent.kill('SIGKILL');
  await once(agent, 'close');

  await dev.kill('SIGKILL');
  dev = startDev(new URL(url).port);
  await dev.says(/is ready/);
  const client = await connect();
  t.match(await call(client, 'approve', { run_id, name: 'go' }), { isError: false });
  t.match((await call(client, 'get_run', { run_id, wait_seconds: 50 })).json, { status: 'succeeded' });
  const { steps } = (await call(client, 'list_run_steps', { run_id })).json;
  t.equal(steps.filter(({ name }: Answer) => name === 'first').length, 1, 'no step was done twice');
});
