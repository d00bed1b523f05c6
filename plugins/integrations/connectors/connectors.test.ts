import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Webhook } from 'standardwebhooks';
import t, { type Test } from 'tap';
import {
  Egress,
  type EgressAnswer,
  type EgressRequest,
  Expressions,
  LocalTools,
} from '../../../kernel/contracts/index.ts';
import { boot, type TestServer, testPlugin, until } from '../../../test/kit/index.ts';
import { FlowNodes } from '../../engine/flows/contract.ts';
import { GraphNodeTypes } from '../../documents/graphs/contract.ts';
import { ConnectorManifests, Connectors, type ManifestExample } from '../manifests/contract.ts';
import { ConnectorActions } from './contract.ts';
import { checkConnector } from './service/compile-connectors.ts';

t.setTimeout(600_000);

const HOME = resolve(import.meta.dirname, '../../../connectors');
const CANARY = 'canary-77aa01';

/** What the far end got, and what it answers. */
const sent: EgressRequest[] = [];
let answer: ManifestExample['response'] = {};
const egress: Egress = {
  async request(request): Promise<EgressAnswer> {
    sent.push(request);
    const {
      status = 200,
      headers = {},
      body,
    } = (answer ?? {}) as { status?: number; headers?: object; body?: unknown };
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    const type = typeof body === 'string' ? 'text/plain' : 'application/json';
    return { status, headers: { 'content-type': type, ...headers }, body: Buffer.from(text) };
  },
};

const server: TestServer = await boot({
  access: 'project',
  plugins: ['connectors', 'graphs', 'requests', 'audit', 'access', 'credentials'],
  replace: [[Egress, () => egress]],
});
t.teardown(() => server.close());

const CREDENTIALS = {
  // A key of Standard Webhooks too.
  bearer: { kind: 'bearer', token: `whsec_${Buffer.from(`${CANARY}-bearer-of-the-test`).toString('base64')}` },
  api_key: { kind: 'api_key', header: 'X-Stored', value: `${CANARY}-key` },
  basic: { kind: 'basic', username: 'me', password: `${CANARY}-word` },
  url_token: { kind: 'url_token', token: `${CANARY}-token` },
};
for (const [name, body] of Object.entries(CREDENTIALS)) {
  const { status } = await server.call('admin', `PUT ${server.scoped}/credentials/${name}`, body);
  if (status !== 201) throw new Error(`no credential ${name}: ${status}`);
}

interface Run {
  status: string;
  output: { [node: string]: unknown } | null;
  error: { code: string; message: string } | null;
}

async function run(node: string, config: unknown): Promise<Run> {
  const made = await server.call('member', `POST ${server.scoped}/runs`, { node, config });
  if (made.status !== 201) throw new Error(`${made.status} ${JSON.stringify(made.json)}`);
  const { run_id } = made.json as { run_id: string };
  return until(async () => {
    const { json } = await server.call('member', `GET ${server.scoped}/runs/${run_id}`);
    return ['succeeded', 'failed'].includes((json as Run).status) && (json as Run);
  });
}

t.test('every manifest is sound, and each of its examples is what happens', async (t) => {
  const connectors = server.use.all(Connectors);
  t.ok(connectors.length >= 20);
  for (const one of connectors) t.same(checkConnector(one, server.use(Expressions)), [], one.manifest.name);
  for (const { manifest } of connectors)
    for (const name of Object.keys(manifest.actions ?? {}))
      t.ok(
        manifest.examples!.some(({ action, request }) => action === name && request),
        `${manifest.name}.${name}`,
      );
});

t.test('each example of an action is sent as it says, and its response is the output', async (t) => {
  for (const { credential, name, examples = [] } of server.use(ConnectorManifests).all())
    for (const { action, request, response, with: fields = {}, input = {} } of examples) {
      if (action === undefined || request === undefined) continue;
      sent.length = 0;
      answer = response;
      const config = { with: fields, input, ...(credential ? { credential: credential.kind } : {}) };
      const { status, output, error } = await run(`${name}.${action}`, config);
      t.equal(status, 'succeeded', `${name}.${action}: ${JSON.stringify(error)}`);
      t.match(output, { status: response?.status ?? 200, body: response?.body ?? null });
      const [one, ...more] = sent;
      t.same(more, [], 'one request');
      compare(t, one!, request, name === 'standard_webhooks' ? undefined : credential);
      await compareRendered(t, one!, `${name}.${action}`, { with: fields, input, credential });
      if (name !== 'standard_webhooks') continue;
      const verified = new Webhook(CREDENTIALS.bearer.token).verify(one!.body!, one!.headers as Record<string, string>);
      t.same(verified, (request as unknown as Wanted).body, 'the library of the specification takes it');
    }
});

type Wanted = { method: string; url: string; headers?: { [name: string]: string }; body?: unknown; encoding?: string };

function compare(
  t: Test,
  is: EgressRequest,
  given: unknown,
  credential: { kind: string; header?: string } | undefined,
) {
  const wanted = given as Wanted;
  const url = wanted.url.replace('{credential}', CREDENTIALS.url_token.token);
  // The key of the node stands for that of the example.
  const keyless = (text: string) => text.replace(/run_[^"/]*~[a-z]+|"incident_key":"[^"]*"/g, 'KEY');
  t.equal(keyless(is.url), keyless(url));
  t.equal(is.method, wanted.method);
  for (const [name, value] of Object.entries(wanted.headers ?? {}))
    t.equal(keyless(is.headers?.[name.toLowerCase()] ?? ''), keyless(value), name);
  if (wanted.body === undefined) t.equal(is.body, undefined);
  else if (wanted.encoding === 'text') t.equal(is.body?.toString(), wanted.body);
  else t.equal(keyless(is.body!.toString()), keyless(JSON.stringify(wanted.body)));
  const pair = Buffer.from(`me:${CREDENTIALS.basic.password}`).toString('base64');
  const [name, value] = {
    bearer: ['authorization', `Bearer ${CREDENTIALS.bearer.token}`],
    basic: ['authorization', `Basic ${pair}`],
    api_key: [credential?.header?.toLowerCase() ?? 'x-stored', CREDENTIALS.api_key.value],
  }[credential?.kind ?? ''] ?? ['authorization', undefined];
  t.equal(is.headers?.[name!], value);
}

const SECRETS = [
  CREDENTIALS.bearer.token,
  CREDENTIALS.api_key.value,
  CREDENTIALS.url_token.token,
  Buffer.from(`me:${CREDENTIALS.basic.password}`).toString('base64'),
];

/** What the command prints is what went out: nothing is missing there, and nothing else is there. */
async function compareRendered(t: Test, is: EgressRequest, type: string, given: Given) {
  const hidden = (text: string) => SECRETS.reduce((left, one) => left.replaceAll(one, '***'), text);
  const key = /run_\w+~node/.exec(`${is.url} ${is.headers?.['idempotency-key']} ${is.body}`)?.[0];
  const flags = { with: JSON.stringify(given.with), input: JSON.stringify(given.input), key };
  const { json, text } = await tool('connector-render', [type], { ...flags, credential: given.credential?.kind });
  const shown = json as { method: string; url: string; headers: Record<string, string>; encoding?: string };
  t.same([shown.method, shown.url], [is.method, hidden(is.url)], type);
  const headers = Object.entries(is.headers ?? {}).map(([name, value]) => {
    if (shown.headers[name] === '(the time)') return [name, '(the time)'];
    return [name, type === 'standard_webhooks.send' ? value.replace(/^v1,.*/, 'v1,***') : hidden(value)];
  });
  t.same(shown.headers, Object.fromEntries(headers), type);
  const body = text.includes('\n\n') ? text.slice(text.indexOf('\n\n') + 2) : undefined;
  const line = shown.encoding === 'json' ? JSON.stringify(JSON.parse(body!)) : body;
  t.equal(is.body?.toString(), line, type);
}

interface Given {
  with: object;
  input: object;
  credential?: { kind: string } | undefined;
}

const tool = (name: string, args: string[], flags = {}, env = {}) =>
  server.use
    .all(LocalTools)
    .find((one) => one.name === name)!
    .run(server.use, { args, flags, env });

t.test('values that are wrong fail the node before anything is sent', async (t) => {
  sent.length = 0;
  const failed = await run('team_chat.post_message', {
    credential: 'bearer',
    with: { channel: { $expr: '7' } },
    input: { $expr: '{"tekst": "x"}' },
  });
  t.match(failed, { status: 'failed', error: { code: 'connector_input_invalid' } });
  for (const part of ['/with/channel must be a string', '/input/text is required', '/input/tekst is not known'])
    t.ok(failed.error!.message.includes(part), failed.error!.message);
  t.match(
    await run('team_chat.post_message', {
      credential: { $expr: 'null' },
      with: { channel: 'c' },
      input: { text: 't' },
    }),
    {
      error: { code: 'connector_input_invalid', message: /credential must name/ },
    },
  );
  t.match(await run('team_chat.post_message', { credential: 'bearer', with: { $expr: '[]' }, input: { text: 't' } }), {
    error: { message: /\/with must be an object/ },
  });
  t.match(
    await run('chat_llm.chat', {
      credential: { $expr: 'null' },
      with: { base_url: 'https://h', model: 'm' },
      input: { prompt: 'p' },
    }),
    {
      status: 'succeeded',
    },
  );
  t.equal(sent.length, 1);
  t.equal(sent[0]!.headers?.authorization, undefined);
});

t.test('headers of a node win over those of its connector and of its credential', async (t) => {
  sent.length = 0;
  const config = { credential: 'bearer', with: { channel: 'c' }, input: { text: 't' } };
  const headers = { 'CONTENT-TYPE': 'application/x-own', Authorization: { $expr: '"Own " + "scheme"' }, 'X-Two': 2 };
  const run_one = await run('team_chat.post_message', { ...config, headers: { ...headers, 'X-None': null } });
  t.match(run_one, { status: 'succeeded' });
  const { headers: got = {} } = sent[0]!;
  t.match(got, { 'content-type': 'application/x-own', authorization: 'Own scheme', 'x-two': '2' });
  t.notOk('x-none' in got);
  t.equal(sent.length, 1);
  t.match(await run('team_chat.post_message', { ...config, headers: { 'X-List': { $expr: '[1]' } } }), {
    error: { code: 'connector_input_invalid', message: /\/headers\/X-List must be a string/ },
  });
  t.match(await run('team_chat.post_message', { ...config, headers: { $expr: '"text"' } }), {
    error: { code: 'connector_input_invalid', message: /\/headers must be an object/ },
  });
  t.equal(sent.length, 1, 'nothing is sent');
});

t.test('a graph is told at its save what a node lacks', async (t) => {
  const save = async (type: string, config: unknown) => {
    const document = { version: 'svc-graph/v1', nodes: [{ id: 'n', type, config }], edges: [] };
    const { status, json } = await server.call('member', `PUT ${server.scoped}/graphs/g`, document);
    const { errors = [] } = json as { errors?: { pointer: string; message: string }[] };
    return [status, ...errors.map(({ pointer, message }) => `${pointer.replace('/nodes/0/config', '')} ${message}`)];
  };
  const sound = { credential: 'bearer', with: { channel: 'c' }, input: { text: '{{ input.x }}' } };
  t.same((await save('team_chat.post_message', sound))[0], 201);
  t.same(await save('team_chat.post_message', { ...sound, credential: undefined }), [
    422,
    '/credential is required: team_chat.post_message needs a credential of kind bearer',
  ]);
  t.match(await save('team_chat.post_message', { ...sound, credential: 'basic' }), [422, /basic/]);
  t.match(await save('team_chat.post_message', { ...sound, input: {} }), [422, '/input/text is required']);
  t.match(await save('team_chat.post_message', { ...sound, with: { chanel: 'c' } }), [422]);
  t.match(await save('team_chat.post_message', { ...sound, retry: 1 }), [422, /\/retry is not a known member/]);
  t.match(await save('team_chat.post', sound), [422, /team_chat\.post/]);
  t.match(await save('team_chat.post_message', { ...sound, headers: { Host: 'x' } }), [422, /\/headers\/Host/]);
  t.same((await save('team_chat.post_message', { ...sound, headers: { 'X-One': { $expr: 'input.x' } } }))[0], 200);
  const flag = { credential: 'api_key', with: { project: 'p', environment: 'e' } };
  t.match(await save('feature_flags.switch_flag', { ...flag, input: { flag: 'f', on: 'yes' } }), [
    422,
    '/input/on must be a boolean',
  ]);
  t.same((await save('feature_flags.switch_flag', { ...flag, input: { flag: 'f', on: '{{ input.on }}' } }))[0], 200);
  t.match(
    await save('forge_a.set_commit_status', { credential: 'bearer', input: { repo: 'r', sha: 's', state: 'x' } }),
    [422, /\/input\/state must be one of "error"/],
  );
  t.match(await save('forge_b.report_run_status', { credential: 'bearer', input: { $expr: 'input' } }), [
    422,
    '/with is required',
  ]);
  t.same((await save('forge_a.report_run_status', { credential: 'bearer', input: { $expr: 'input' } }))[0], 200);
});

t.test('manifests over HTTP', async (t) => {
  const all = await server.call('viewer', `GET ${server.scoped}/connectors`);
  const names = (all.json as { connectors: { name: string }[] }).connectors.map(({ name }) => name);
  t.same(names, names.toSorted());
  t.same(
    names,
    server
      .use(ConnectorManifests)
      .all()
      .map(({ name }) => name),
  );
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const { json } = await server.call('viewer', `GET ${server.scoped}/connectors?limit=7${cursor}`);
    const page = json as { connectors: { name: string }[]; next_cursor?: string };
    seen.push(...page.connectors.map(({ name }) => name));
    if (page.next_cursor === undefined) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  t.same(seen, names);
  t.match(await server.call('viewer', `GET ${server.scoped}/connectors/team_chat`), {
    status: 200,
    json: { manifest: 'svc-connector/v1', name: 'team_chat', actions: { post_message: {} } },
  });
  for (const name of ['none', 'constructor', 'a%20b'])
    t.match(await server.call('viewer', `GET ${server.scoped}/connectors/${name}`), {
      status: 404,
      json: { code: 'not_found' },
    });
  t.match(await server.call(undefined, `GET ${server.scoped}/connectors`), { status: 401 });
});

t.test('a request is shown over HTTP as the command shows it, and nothing is sent', async (t) => {
  const shown = (action: string, body: object) =>
    server.call('viewer', `POST ${server.scoped}/connectors/${action.replace('.', '/actions/')}/render`, body);
  const given = { with: { channel: '#ops' }, input: { text: 'a "b"' } };
  const flags = { with: JSON.stringify(given.with), input: JSON.stringify(given.input) };
  const printed = await tool('connector-render', ['team_chat.post_message'], flags);
  t.match(await shown('team_chat.post_message', given), {
    status: 200,
    json: { request: printed.json, text: printed.text },
  });
  t.match((printed.json as { headers: object }).headers, { authorization: 'Bearer ***' });
  const keyed = await shown('team_chat.post_message', { ...given, key: 'mine' });
  t.match(keyed.text, /mine/);
  const llm = { with: { model: 'm', base_url: 'https://llm.test' }, input: { prompt: 'hi' } };
  t.notMatch((await shown('chat_llm.chat', llm)).text, /authorization/);
  t.match((await shown('chat_llm.chat', { ...llm, credential: true })).text, /Bearer \*\*\*/);
  t.match(await shown('team_chat.post_message', { with: { channel: 7 } }), {
    status: 422,
    json: { code: 'connector_input_invalid', errors: [{ pointer: '/with/channel' }, { pointer: '/input/text' }] },
  });
  t.match(await shown('team_chat.shout', {}), {
    status: 404,
    json: { code: 'not_found', detail: /team_chat has no action shout; it has post_message/ },
  });
  t.match(await shown('none.post', {}), { status: 404, json: { code: 'not_found' } });
  t.match(await shown('team_chat.post_message', { whith: {} }), { status: 400, json: { code: 'invalid_request' } });
});

t.test('node types of graphs and flows are the same', async (t) => {
  const types = server
    .use(ConnectorActions)
    .all()
    .map(({ type }) => type);
  const [graph, flow] = [server.use.all(GraphNodeTypes), server.use.all(FlowNodes)].map(
    (list) => new Set(list.map(({ type }) => type)),
  );
  t.ok(types.length >= 29);
  for (const type of types) t.ok(graph!.has(type) && flow!.has(type), type);
});

t.test('the tools for authors', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-connector-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const put = async (path: string, content: unknown) => {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
    return join(folder, path);
  };
  const own = (more: object = {}) => ({
    manifest: 'svc-connector/v1',
    name: 'own',
    title: 'Own',
    actions: {
      go: {
        inputs: [{ name: 'a', type: 'string' }],
        request: { method: 'GET', url: 'https://h/', query: { a: '{{ input.a }}' } },
      },
    },
    ...more,
  });
  t.match(await tool('connector-check', [HOME]), { ok: true });
  const example = { action: 'go', input: { a: 'x' }, request: { method: 'GET', url: 'https://h/?a=y' } };
  const file = await put('own/manifest.json', own({ examples: [example] }));
  t.match(await tool('connector-check', [join(folder, 'own')]), {
    ok: false,
    json: { faults: [{ file, pointer: '/examples/0/request/url', rule: 'example_differs' }] },
    text: /is "https:\/\/h\/\?a=x", not "https:\/\/h\/\?a=y"/,
  });
  await put('own/manifest.json', own());
  t.match(await tool('connector-check', [file]), { ok: true, text: /own is valid \(1 action, 0 examples\)/ });
  const taken = await put('taken.json', own({ name: 'team_chat' }));
  t.match(await tool('connector-check', [taken]), {
    ok: false,
    json: { faults: [{ pointer: '/name', rule: 'name_taken' }] },
  });
  t.match(await tool('connector-check', [join(folder, 'none')]), {
    ok: false,
    json: { faults: [{ rule: 'not_found' }] },
  });

  const rendered = await tool('connector-render', ['own.go'], { from: file, input: '{"a": "1&2"}' });
  t.same(rendered.json, { method: 'GET', url: 'https://h/?a=1%262', headers: {} });
  t.match(await tool('connector-render', ['own.go'], {}, { SVC_CONNECTORS: file }), { json: { url: 'https://h/' } });
  const form = { method: 'POST', url: 'https://h/', encoding: 'form', body: { a: '{{ input.a }}', n: [1, 2] } };
  const inputs = [{ name: 'a', type: 'string' }];
  const forms = await put('forms.json', own({ name: 'forms', actions: { go: { inputs, request: form } } }));
  const filled = await tool('connector-render', ['forms.go'], { from: forms, input: '{"a": "1 &ü"}', key: 'k' });
  t.equal(
    filled.text,
    'POST https://h/\ncontent-type: application/x-www-form-urlencoded\nidempotency-key: k\n\na=1+%26%C3%BC&n=1&n=2',
  );
  const bot = await tool('connector-render', ['bot_chat.send_message'], {
    with: '{"chat_id": 1}',
    input: '{"text": "t"}',
    key: 'k',
  });
  t.equal(
    bot.text,
    'POST https://api.telegram.org/bot***/sendMessage\ncontent-type: application/json\nidempotency-key: k\n\n{\n  "chat_id": 1,\n  "text": "t"\n}',
  );
  const odd = { with: '{"chat_id": 1}', input: '{"text": "t"}', key: 'für 7' };
  const digest = createHash('sha256').update('für 7').digest('hex');
  t.match(await tool('connector-render', ['bot_chat.send_message'], odd), {
    json: { headers: { 'idempotency-key': digest } },
  });
  const chat = { with: '{"base_url": "https://h/v1", "model": "m"}', input: '{"prompt": "p"}' };
  t.notMatch((await tool('connector-render', ['chat_llm.chat'], chat)).text, /authorization/);
  t.match(
    (await tool('connector-render', ['chat_llm.chat'], { ...chat, credential: 'key' })).text,
    /authorization: Bearer \*\*\*/,
  );
  for (const [args, flags, code] of [
    ['team_chat.post_message', {}, 'connector_input_invalid'],
    ['team_chat.none', {}, 'not_found'],
    ['team_chat.post_message', { with: '{' }, 'invalid_request'],
    ['team_chat.post_message', { with: '[]' }, 'invalid_request'],
    [
      'own.go',
      { from: await put('bad.json', own({ actions: { go: { request: { method: 'GET', url: '{{ x }}' } } } })) },
      'connector_invalid',
    ],
  ] as const)
    await t.rejects(tool('connector-render', [args], flags), { code }, `${args} ${JSON.stringify(flags)}`);
});

t.test('a faulty template and a type that is taken stop the start', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-connector-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const manifest = (name: string, request: object) => ({
    manifest: 'svc-connector/v1',
    name,
    title: name,
    actions: { go: { request } },
  });
  const bad = join(folder, 'bad.json');
  await writeFile(bad, JSON.stringify(manifest('bad', { method: 'GET', url: "https://h/{{ require('fs') }}" })));
  const plugins = ['connectors', 'graphs', 'requests'];
  await t.rejects(boot({ plugins, env: { SVC_CONNECTORS: bad } }), {
    code: 'connector_invalid',
    message: /bad\.json: \/actions\/go\/request\/url: .*unknown function `require` \[hole_invalid\]; use/,
  });
  const good = join(folder, 'good.json');
  await writeFile(good, JSON.stringify(manifest('other', { method: 'GET', url: 'https://h/' })));
  const rival = testPlugin(
    'rival',
    (plugin) => plugin.contribute(GraphNodeTypes, () => ({ type: 'other.go', title: 'x', config: { type: 'object' } })),
    { requires: ['graphs'] },
  );
  await t.rejects(boot({ plugins: [...plugins, rival], env: { SVC_CONNECTORS: good } }), { message: /other\.go/ });
});
