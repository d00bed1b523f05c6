import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { Database } from '../../kernel/contracts/index.ts';
import { boot, STORES, tablesWith, type TestServer } from '../kit/index.ts';

// The far end that hangs takes as long as a test may take.
t.setTimeout(300_000);

/** With characters that headers, forms and JSON write differently. */
const SECRET = 'hush/u+ secret&=%7E"';
const PAIR = Buffer.from(`robot:${SECRET}`).toString('base64');
const PLUGINS = ['http', 'access', 'audit', 'credentials', 'secrets', 'scripts', 'flows', 'requests', 'connectors'];

type Way = (request: IncomingMessage, response: ServerResponse) => void;

/** Far ends that want the secret, or the server's time and memory. */
const WAYS = {
  echo: ({ headers }, response) => {
    response.writeHead(401, { 'content-type': 'application/json', 'x-echo': String(headers.authorization) });
    response.end(JSON.stringify({ error: `${headers.authorization} ${SECRET} ${encodeURIComponent(SECRET)}` }));
  },
  welcome: ({ headers }, response) => response.end(`hello ${headers.authorization} ${SECRET}`),
  redirect: ({ headers }, response) => {
    response.writeHead(307, { location: `http://localhost:${new URL(`http://${headers.host}`).port}/taken` });
    response.end();
  },
  huge: (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.on('error', () => undefined);
    const more = (): void => void (response.destroyed || response.write('a'.repeat(65_536), () => more()));
    more();
  },
  garbage: (_request, response) => response.socket!.end(`HTTP/1.1 ${SECRET}\r\n\r\n`),
  hang: () => undefined,
  drip: (_request, response) => {
    response.writeHead(200);
    response.write('a');
  },
} satisfies Record<string, Way>;

type WayName = keyof typeof WAYS;

/** Listens on loopback and records which paths were asked. */
async function openHostile(t: Test): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const name = request.url!.slice(1);
    asked.push(name);
    const way: Way | undefined = WAYS[name as WayName];
    if (way) way(request, response);
    else response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const call = (server: TestServer, caller: string, line: string, body?: unknown) =>
  server.call(caller, line.replace('{scoped}', server.scoped), body);

/** What anybody can read of a project, and what is stored and logged. */
async function assertUnseen(t: Test, server: TestServer, text: string): Promise<void> {
  for (const path of ['audit', 'events', 'runs', 'credentials'])
    t.notOk((await call(server, 'owner', `GET {scoped}/${path}`)).text.includes(text), `not in ${path}`);
  t.same(await tablesWith(server.use(Database), text), [], 'in no table');
  const lines = server.log.lines.map(
    ({ message, fields }) => `${message} ${JSON.stringify(fields)} ${String(fields.err)}`,
  );
  t.notOk(
    lines.some((line) => line.includes(text)),
    'in no log',
  );
}

// @store: the audit entry of a test is a row.
for (const store of STORES)
  t.test(`${store}: a test of a credential shows nothing of it, to nobody who may not use it`, async (t) => {
    const hostile = await openHostile(t);
    const server = await boot({ store, access: 'project', plugins: PLUGINS, env: { SVC_EGRESS_ALLOW: '127.0.0.1' } });
    t.teardown(() => server.close());
    const set = (name: string, body: object) => call(server, 'admin', `PUT {scoped}/credentials/${name}`, body);
    t.equal((await set('bot', { kind: 'basic', username: 'robot', password: SECRET })).status, 201);
    t.equal((await set('bound', { kind: 'bearer', token: SECRET, hosts: ['api.example.org'] })).status, 201);
    const test = (body: object, { name = 'bot', caller = 'member' } = {}) =>
      call(server, caller, `POST {scoped}/credentials/${name}/test`, body);
    const assertMasked = (t: Test, text: string) => {
      for (const part of [SECRET, 'hush', PAIR, PAIR.slice(8, 20)]) t.notOk(text.includes(part), text);
    };

    t.test('far ends that do harm', async (t) => {
      const found: [WayName, string, number?][] = [
        ['echo', 'refused', 401],
        ['welcome', 'works', 200],
        ['redirect', 'works', 307],
        ['huge', 'works', 200],
        ['garbage', 'unreachable'],
        ['hang', 'unreachable'],
        ['drip', 'unreachable'],
      ];
      const answers = await Promise.all(found.map(([way]) => test({ url: `${hostile.url}/${way}` })));
      for (const [index, [way, result, status]] of found.entries()) {
        const { json, text } = answers[index]!;
        t.match(json, { result, ...(status !== undefined && { status }) }, `${way}: ${text}`);
        assertMasked(t, text);
      }
      t.notOk(hostile.asked.includes('taken'), 'no redirect is followed with the credential');
      const { entries } = (await call(server, 'owner', 'GET {scoped}/audit')).json as {
        entries: { action: string; detail: string }[];
      };
      const tests = entries.filter(({ action }) => action === 'credential.test');
      t.equal(tests.length, found.length, 'each is audited');
      t.ok(
        tests.every(({ detail }) => !detail.includes('/')),
        'with the host alone',
      );
    });

    t.test('the audit says to which host a connector was told to send it', async (t) => {
      const { hostname, port } = new URL(hostile.url);
      const fields = { site: hostile.url };
      t.match((await test({ connector: 'issue_tracker', with: fields })).json, { result: 'works' });
      const { entries } = (await call(server, 'owner', 'GET {scoped}/audit?limit=1')).json as {
        entries: { action: string; detail: string }[];
      };
      t.match(entries, [{ action: 'credential.test', detail: `issue_tracker ${hostname}:${port} works 200` }]);
    });

    t.test('a URL that contains the value is not repeated', async (t) => {
      const { json, text } = await test({ url: `http://127.0.0.1:1/${encodeURIComponent(SECRET)}` });
      t.match(json, { result: 'unreachable' });
      assertMasked(t, text);
    });

    t.test('addresses inside the network and other hosts get nothing', async (t) => {
      for (const url of ['http://10.0.0.1/', 'http://169.254.169.254/latest/meta-data', 'http://[::1]:1/']) {
        const { json, text } = await test({ url });
        t.match(json, { result: 'unreachable', says: /is not allowed to connect to/ }, text);
      }
      const before = hostile.asked.length;
      t.match((await test({ url: `${hostile.url}/welcome` }, { name: 'bound' })).json, {
        code: 'credential_host_not_allowed',
      });
      for (const url of ['file:///etc/passwd', 'nonsense', 'https://ana:pw@127.0.0.1/', 'http://{credential}/'])
        t.equal((await test({ url })).json.code, 'request_invalid', url);
      t.equal(hostile.asked.length, before, 'nothing was sent');
    });

    t.test('only who may use a credential tests it', async (t) => {
      const before = hostile.asked.length;
      const url = `${hostile.url}/welcome`;
      for (const [caller, status] of [
        ['viewer', 403],
        ['rival', 404],
        ['', 401],
      ] as const)
        t.equal((await test({ url }, { caller })).status, status, caller);
      t.equal((await test({ url }, { name: 'nobody' })).status, 404);
      t.equal((await test({ url }, { name: 'a.b' })).status, 404);
      for (const body of [{}, { url, connector: 'team_chat' }, { url, with: {} }, { connector: 'nothing' }])
        t.equal((await test(body)).json.code, 'invalid_request', JSON.stringify(body));
      t.equal(hostile.asked.length, before, 'nothing was sent');
    });

    for (const text of [SECRET, 'hush', PAIR]) await assertUnseen(t, server, text);
  });

t.test('a response that failed_when has to read is bounded', async (t) => {
  const hostile = await openHostile(t);
  const server = await boot({
    store: 'sqlite',
    access: 'project',
    plugins: PLUGINS,
    env: {
      SVC_EGRESS_ALLOW: '127.0.0.1',
      SVC_CONNECTORS: `${t.testdir({ 'huge.json': manifestOf(hostile.url) })}/huge.json`,
    },
  });
  t.teardown(() => server.close());
  await call(server, 'admin', 'PUT {scoped}/credentials/bot', { kind: 'bearer', token: 'hush-hush' });
  const { json } = await call(server, 'member', 'POST {scoped}/credentials/bot/test', { connector: 'huge' });
  t.match(json, { result: 'unclear', status: 200 });
});

const manifestOf = (url: string): string =>
  JSON.stringify({
    manifest: 'svc-connector/v1',
    name: 'huge',
    title: 'Huge',
    credential: { kind: 'bearer' },
    test: { request: { method: 'GET', url: `${url}/huge` }, failed_when: { when: 'body.ok == false' } },
  });
