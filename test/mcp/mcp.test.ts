import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import t from 'tap';
import { homeFolder } from '../../features/support/home.ts';
import { Service } from '../../features/support/process.ts';
import { svcProgram } from '../../features/support/target.ts';

t.setTimeout(300_000);

const PROJECT = '/api/v1/orgs/dev/projects/main';

interface Place {
  folder: string;
  url: string;
  token: string;
  env: Record<string, string>;
}

/** `svc dev` in a folder of its own. */
async function start(): Promise<Place> {
  const folder = await homeFolder('svc-mcp-');
  const env = { PATH: process.env.PATH ?? '', HOME: folder };
  const dev = new Service(svcProgram, ['dev', '--port', '0'], { cwd: folder, env });
  t.teardown(async () => {
    await dev.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });
  const [, url = ''] = await dev.says(/is ready: (\S+)/);
  const profile = JSON.parse(await readFile(join(folder, '.svc/profile.json'), 'utf8')) as { token: string };
  return { folder, env, url: url.replace(/\/$/, ''), token: profile.token };
}

/** Whatever the API answers. */
// biome-ignore lint/suspicious/noExplicitAny: the tests read a few members of many shapes
type Answer = any;

async function api(place: Place, method: string, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${place.token}`, 'content-type': 'application/json' };
  const response = await fetch(`${place.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function overHttp({ url, token }: Place, query = ''): Promise<Client> {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const client = new Client({ name: 'test', version: '1' });
  // Its types are not exact about optional members.
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}${PROJECT}/mcp${query}`), { requestInit }) as never,
  );
  t.teardown(() => client.close());
  return client;
}

async function overStdio({ folder, env }: Place, ...flags: string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const options = { command: svcProgram, args: ['mcp', ...flags], cwd: folder, env, stderr: 'inherit' as const };
  await client.connect(new StdioClientTransport(options));
  t.teardown(() => client.close());
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [{ text }] = content as [{ text: string }];
  return { json: JSON.parse(text), isError: isError === true };
}

const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

const graph = {
  version: 'svc-graph/v1',
  title: 'Greet somebody',
  nodes: [{ id: 'hello', type: 'set', config: { values: { text: { $expr: "'hello ' + input.name" } } } }],
  edges: [],
};

const typed = {
  version: 'svc-graph/v1',
  inputs: { service: 'string', replicas: 'integer = 2', env: 'test|live = test' },
  nodes: [
    {
      id: 'say',
      type: 'set',
      config: { values: { text: { $expr: "inputs.service + ' ' + string(inputs.replicas)" } } },
    },
  ],
};

t.test('an AI agent runs, follows, explains and approves', async (t) => {
  const place = await start();
  await api(place, 'PUT', `${PROJECT}/graphs/greet`, graph);
  await api(place, 'PUT', `${PROJECT}/graphs/ship`, typed);

  for (const [transport, connect] of [
    ['HTTP', overHttp],
    ['standard input', overStdio],
  ] as const)
    await t.test(`over ${transport}`, async (t) => {
      const client = await connect(place);
      t.equal(client.getServerVersion()?.name, 'svc');
      t.match(client.getInstructions(), /durable workflows/);

      const tools = await client.listTools();
      const greet = tools.tools.find(({ name }) => name === 'graph_greet');
      t.match(greet, {
        title: 'Greet somebody',
        inputSchema: { type: 'object' },
        annotations: { readOnlyHint: false },
      });
      t.match(
        tools.tools.find(({ name }) => name === 'get_run'),
        { annotations: { readOnlyHint: true } },
      );
      const { workflows } = (await call(client, 'list_workflows')).json;
      t.match(workflows, [
        { kind: 'graph', name: 'ship', input: { required: ['service'] } },
        { kind: 'graph', name: 'greet', title: 'Greet somebody', input: undefined },
      ]);

      const greeted = await call(client, 'graph_greet', { input: { name: 'Ana' } });
      t.match(greeted.json, { status: 'succeeded' });
      t.match(JSON.stringify(greeted.json.output), /hello Ana/);

      const ship = tools.tools.find(({ name }) => name === 'graph_ship');
      t.match(ship?.inputSchema, {
        type: 'object',
        required: ['service'],
        properties: { service: { type: 'string' }, replicas: { type: 'integer', default: 2 } },
      });
      const shipped = await call(client, 'graph_ship', { service: 'shop' });
      t.match(shipped.json, { status: 'succeeded', output: { text: 'shop 2' } }, 'the arguments are the inputs');
      t.match(await call(client, 'graph_ship', { replicas: 'many', env: 'prod' }), {
        isError: true,
        json: {
          code: 'input_invalid',
          errors: [{ pointer: '/input/service' }, { pointer: '/input/replicas' }, { pointer: '/input/env' }],
        },
      });

      const source =
        'svc step build -- echo built\nwho=$(svc wait-signal approved --message "Ship it?")\necho "by $who"\n';
      const asked = await call(client, 'run_script', { filename: 'ship.sh', source, wait_seconds: 0 });
      const { run_id } = asked.json;
      t.match(asked.json.next, /get_run/, 'an unfinished run is a success, and the result says how to follow it');
      const explained = async (): Promise<string> => {
        const { json } = await call(client, 'explain_run', { run_id });
        return json.status === 'waiting' ? json.because.join(' ') : explained();
      };
      t.match(await explained(), /approved/);
      t.match((await call(client, 'list_questions', { run_id })).json.questions, [{ message: 'Ship it?' }]);
      t.match((await call(client, 'approve', { run_id, name: 'approved' })).isError, false);
      const ended = await call(client, 'get_run', { run_id, wait_seconds: 50 });
      t.match(ended.json, { status: 'succeeded' });
      t.match((await call(client, 'list_run_steps', { run_id })).json.steps[0], { name: 'build' });
      t.match((await call(client, 'read_run_log', { run_id, lines: 10 })).json.log, /by /);
      const listed = await call(client, 'list_runs', { status: 'succeeded', limit: 1 });
      t.match(listed.json, { runs: [{ run_id }], next_cursor: String });

      const { entries } = await api(place, 'GET', `${PROJECT}/audit?limit=50`);
      t.ok(
        entries.some((entry: object) => JSON.stringify(entry).includes(run_id)),
        'what the agent did is in the audit',
      );
    });

  await t.test('a repeated call with a key starts nothing again', async (t) => {
    const client = await overHttp(place);
    const args = { kind: 'graph', name: 'greet', input: { name: 'Bo' }, idempotency_key: 'once' };
    const first = await call(client, 'run_workflow', args);
    const again = await call(client, 'run_workflow', args);
    t.equal(again.json.run_id, first.json.run_id);
  });

  await t.test('what is wrong is a result that says what to do', async (t) => {
    const client = await overHttp(place);
    const wrong = await call(client, 'get_run', { run: 'x' });
    t.equal(wrong.isError, true);
    t.match(wrong.json, { code: 'invalid_request', errors: [{ pointer: String, message: String }] });
    t.match(await call(client, 'get_run', { run_id: 'run_none' }), {
      isError: true,
      json: { code: String, next: String },
    });
    t.match(await call(client, 'graph_none'), { isError: true, json: { code: 'not_found' } });
    await t.rejects(client.callTool({ name: 'no_such_tool' }), /unknown tool/);
    const page = await client.listTools({ cursor: 'made-up' }).catch((error: Error) => error.message);
    t.match(page, /cursor/);
  });

  await t.test('numbers from standard input keep all of their digits', async (t) => {
    const { folder, env } = place;
    const child = spawn(svcProgram, ['mcp'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"emit_event",' +
        '"arguments":{"type":"order.paid","payload":{"total":12345678901234567890.10}}}}\n',
    );
    const { result } = JSON.parse(await readText(child.stdout));
    const { event } = JSON.parse(result.content[0].text);
    const headers = { authorization: `Bearer ${place.token}` };
    const response = await fetch(`${place.url}${PROJECT}/events/${event}`, { headers });
    t.match(await response.text(), /"total":\s*12345678901234567890\.10/);
  });

  await t.test('with read_only, no tool changes anything', async (t) => {
    for (const client of [await overHttp(place, '?read_only=true'), await overStdio(place, '--read-only')]) {
      const { tools } = await client.listTools();
      t.ok(tools.length > 5);
      t.same(
        tools.filter(({ annotations }) => annotations?.readOnlyHint !== true),
        [],
      );
      await t.rejects(client.callTool({ name: 'emit_event', arguments: { type: 'a.b' } }), /unknown tool/);
      await t.rejects(client.callTool({ name: 'graph_greet' }), /unknown tool/);
    }
  });

  await t.test('a viewer is offered what a viewer may do', async (t) => {
    await api(place, 'PUT', '/api/v1/orgs/dev/members/vera', { role: 'member' });
    await api(place, 'PUT', `${PROJECT}/members/vera`, { role: 'viewer' });
    const { token } = await api(place, 'POST', '/api/v1/tokens', { name: 'of-vera', org: 'dev', user: 'vera' });
    const client = await overHttp({ ...place, token });
    const offered = await names(client);
    t.ok(offered.includes('list_runs'));
    t.notOk(offered.includes('run_script'));
    t.notOk(offered.includes('graph_greet'));
    const refused = await call(client, 'emit_event', { type: 'a.b' });
    t.match(refused, { isError: true, json: { code: 'forbidden' } });
    await t.rejects(overHttp({ ...place, token: 'svc_pat_none' }));
  });
});
