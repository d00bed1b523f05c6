import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { Database } from '../../kernel/contracts/index.ts';
import { Wakeups } from '../../plugins/engine/runs/contract.ts';
import { openWorld, type World } from '../../plugins/integrations/accounts/testing/world.ts';
import { Credentials } from '../../plugins/secrets/credentials/contract.ts';
import { STORES, tablesWith, until } from '../kit/index.ts';
import { OidcServer } from '../support/oidc-server.ts';

// The endpoint that hangs takes as long as a token request may take.
t.setTimeout(600_000);

/** With characters that forms and headers write differently. */
const SECRET = 'hush/ü+ secret&=%7E"';
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PEM = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
/** A line of the key, which no text may contain. */
const KEY_LINE = PEM.split('\n')[1]!;

type Way = (request: IncomingMessage, body: string, response: ServerResponse) => void;

function send(response: ServerResponse, status: number, headers: Record<string, string>, body: string): void {
  response.writeHead(status, headers);
  response.end(body);
}

const sendJson = (response: ServerResponse, status: number, body: object): void =>
  send(response, status, { 'content-type': 'application/json' }, JSON.stringify(body));

/** Token endpoints of somebody who wants the secret, or the server's time and memory. */
const WAYS = {
  hang: () => undefined,
  garbage: (_request, _body, response) => void response.end(Buffer.from([0xff, 0xfe, 0, 0x7b])),
  html: (_request, _body, response) => send(response, 200, { 'content-type': 'text/html' }, '<p>hi'),
  huge: (_request, _body, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.on('error', () => undefined);
    response.write('{"access_token":"');
    const more = (): void => void (response.destroyed || response.write('a'.repeat(65_536), () => more()));
    more();
  },
  redirect: (_request, _body, response) => send(response, 307, { location: '/taken' }, ''),
  echo: ({ headers }, body, response) => {
    const decoded = Buffer.from((headers.authorization ?? '').slice(6), 'base64').toString();
    const error_description = `${headers.authorization} ${decoded} ${new URLSearchParams(decoded.replace(':', '=')).get('robot')} ${body} ${decodeURIComponent(body.replaceAll('+', ' '))}`;
    sendJson(response, 401, { error: 'invalid_client', error_description });
  },
  mac: (_request, _body, response) => sendJson(response, 200, { access_token: 'x', token_type: 'mac' }),
  crash: (_request, _body, response) => sendJson(response, 500, { error: 'server_error', access_token: 'x' }),
} satisfies Record<string, Way>;

type WayName = keyof typeof WAYS;
const NAMES = Object.keys(WAYS) as WayName[];

/** Listens on loopback and records which paths were asked. */
async function openHostile(t: Test): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const name = request.url!.slice(1);
      asked.push(name);
      const way: Way | undefined = WAYS[name as WayName];
      if (way) way(request, Buffer.concat(chunks).toString(), response);
      else response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** What anybody can read of a project, and what is stored and logged. */
async function assertUnseen(t: Test, { server, call }: World, text: string): Promise<void> {
  for (const path of ['accounts', 'audit', 'events', 'runs', 'credentials'])
    t.notOk((await call('owner', `GET {scoped}/${path}`)).text.includes(text), `not in ${path}`);
  t.same(await tablesWith(server.use(Database), text), [], 'in no table');
  const lines = server.log.lines.map(
    ({ message, fields }) => `${message} ${JSON.stringify(fields)} ${String(fields.err)}`,
  );
  t.notOk(
    lines.some((line) => line.includes(text)),
    'in no log',
  );
}

t.test('token endpoints that do harm', async (t) => {
  const hostile = await openHostile(t);
  const both = ['client_credentials', 'jwt_bearer'];
  const providers = NAMES.flatMap((name) =>
    ['basic', 'post'].map((auth) => ({
      name: `${name}-${auth}`,
      grants: both,
      token_endpoint_auth: auth,
      token_url: `${hostile.url}/${name}`,
    })),
  );
  const world = await openWorld(t, 'sqlite', { env: { SVC_CONNECTED_ACCOUNT_PROVIDERS: JSON.stringify(providers) } });
  const { call } = world;
  const withSecret = (provider: string) =>
    call('admin', `POST {scoped}/accounts/${provider}/connect-client`, {
      ...{ provider, grant: 'client_credentials', client_id: 'robot', client_secret: SECRET },
    });
  const withKey = (provider: string) =>
    call('admin', `POST {scoped}/accounts/${provider}/connect-client`, {
      ...{ provider, grant: 'jwt_bearer', client_id: 'robot', private_key: PEM },
    });
  const hanging = withSecret('hang-basic');
  for (const way of NAMES.filter((name) => name !== 'hang'))
    for (const [auth, connect] of [
      ['basic', withSecret],
      ['post', withSecret],
      ['basic', withKey],
    ] as const) {
      const { status, text, json } = await connect(`${way}-${auth}`);
      t.equal(status, 424, `${way}: ${text}`);
      t.equal(json.code, 'account_not_granted');
      t.notOk(text.includes('hush') || text.includes(KEY_LINE) || text.includes('eyJ'), text);
      t.notOk(text.includes(Buffer.from('robot:hush').toString('base64').slice(0, 12)), text);
    }
  t.same(
    hostile.asked.filter((path) => path === 'taken'),
    [],
    'no redirect is followed with the secret',
  );
  t.equal((await hanging).status, 424, 'a request ends');
  t.same((await call('member', 'GET {scoped}/accounts')).json.accounts, [], 'nothing is stored');
  for (const text of [SECRET, 'hush', KEY_LINE]) await assertUnseen(t, world, text);
});

// @store: intents of a server that died are rows.
for (const store of STORES)
  t.test(`${store}: a real provider`, async (t) => {
    const oidc = new OidcServer();
    await oidc.listen({ redirect_uri: 'http://127.0.0.1/connections/callback' });
    t.teardown(() => oidc.close());
    const providers = [
      { name: 'robots', grants: ['client_credentials'], token_url: `${oidc.url}/token` },
      { name: 'signers', grants: ['jwt_bearer'], token_url: `${oidc.url}/assertions` },
    ];
    const world = await openWorld(t, store, { env: { SVC_CONNECTED_ACCOUNT_PROVIDERS: JSON.stringify(providers) } });
    const { call, server } = world;
    const database = server.use(Database);
    const resolve = (name: string) => server.use(Credentials).resolve(server.scope, { name });
    const client = { grant: 'client_credentials', client_id: 'robot', client_secret: oidc.robot_secret };
    const line = 'POST {scoped}/accounts/jobs/connect-client';
    const body = { provider: 'robots', ...client };
    const private_key = oidc.robot_key.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;

    t.test('only an admin of the project connects, and nobody of another org', async (t) => {
      for (const [caller, status] of [
        ['viewer', 403],
        ['member', 403],
        ['rival', 404],
      ] as const)
        t.equal((await call(caller, line, body)).status, status, caller);
      t.equal(oidc.access_tokens.length, 0, 'the provider is not asked');
      t.match((await call('admin', line, body)).json, { status: 'active', grant: 'client_credentials' });
      t.equal((await call('rival', 'GET {scoped}/accounts/jobs')).status, 404);
      t.match(await resolve('jobs'), { kind: 'bearer', token: oidc.access_tokens.at(-1) });
    });

    t.test('a name stays what it is', async (t) => {
      t.match((await call('admin', line, { ...body, client_id: 'other' })).json, { code: 'account_mismatch' });
      t.equal((await call('admin', 'PUT {scoped}/credentials/bot', { kind: 'bearer', token: 'abcd' })).status, 201);
      const taken = await call('admin', 'POST {scoped}/accounts/bot/connect-client', body);
      t.match(taken.json, { code: 'name_conflict' });
      t.equal((await call('admin', 'POST {scoped}/accounts/a.b/connect-client', body)).status, 400);
    });

    t.test('a server that died while it asked keeps nobody waiting', async (t) => {
      const before = oidc.access_tokens.length;
      await database.write("UPDATE accounts_accounts SET status = 'refreshing', due_at = 1 WHERE name = 'jobs'");
      await database.write(
        `INSERT INTO accounts_renewals (account_id, project_id, name, org_id, request_id, presented, written_at, until_at)
         SELECT account_id, project_id, name, org_id, 'rnw_dead', 3, 1, 1 FROM accounts_accounts WHERE name = 'jobs'`,
      );
      server.use(Wakeups).topic('accounts.changed');
      await until(async () => (await world.account('jobs')).renewed_at !== undefined || undefined);
      t.match(await world.account('jobs'), { status: 'active' });
      t.equal(oidc.access_tokens.length, before + 1, 'it is asked once');
      t.same(await database.read('SELECT * FROM accounts_renewals'), []);
    });

    t.test('many uses of a token that ended share one request', async (t) => {
      const before = oidc.access_tokens.length;
      await world.hurry('jobs', 'expires_at = 1');
      const found = await Promise.all(Array.from({ length: 8 }, () => resolve('jobs')));
      t.equal(new Set(found.map((one) => (one as { token: string }).token)).size, 1);
      t.equal(oidc.access_tokens.length, before + 1);
    });

    t.test('a rejected client keeps its token until it ends', async (t) => {
      const { robot_secret } = oidc;
      oidc.robot_secret = 'another secret';
      oidc.become({ redirect_uri: 'http://127.0.0.1/connections/callback' });
      await world.hurry('jobs');
      server.use(Wakeups).topic('accounts.changed');
      await until(async () => (await world.account('jobs')).last_error !== undefined || undefined);
      t.match(await world.account('jobs'), { status: 'active', last_error: /invalid_client/ });
      await world.hurry('jobs', 'expires_at = 1, due_at = 1');
      server.use(Wakeups).topic('accounts.changed');
      await until(async () => (await world.account('jobs')).status === 'needs_reauth' || undefined);
      await t.rejects(resolve('jobs'), { code: 'account_needs_reconnect' });
      oidc.robot_secret = robot_secret;
      oidc.become({ redirect_uri: 'http://127.0.0.1/connections/callback' });
      t.match((await call('admin', line, body)).json, { status: 'active' });
    });

    t.test('assertions are fresh, and the real verifier takes each once', async (t) => {
      const signer = {
        provider: 'signers',
        grant: 'jwt_bearer',
        private_key: JSON.stringify({ private_key, client_email: 'robot', private_key_id: 'k7' }),
      };
      t.match((await call('admin', 'POST {scoped}/accounts/sheets/connect-client', signer)).json, { status: 'active' });
      await world.hurry('sheets', 'expires_at = 1');
      await resolve('sheets');
      t.equal(oidc.assertions.length, 2);
      t.not(oidc.assertions[0]!.claims.jti, oidc.assertions[1]!.claims.jti);
      t.match(oidc.assertions[1]!.header, { alg: 'ES256', kid: 'k7', typ: 'JWT' });
    });

    t.test('nothing secret is anywhere', async (t) => {
      const key_line = private_key.split('\n')[1]!;
      for (const text of [oidc.robot_secret, key_line, ...oidc.access_tokens]) await assertUnseen(t, world, text);
    });
  });

t.test('a test of an account shows nothing of a token, to nobody who may not use it', async (t) => {
  const world = await openWorld(t, 'sqlite');
  const { call, far, server } = world;
  t.equal((await world.connect('mail')).status, 200);
  const { token } = (await server.use(Credentials).resolve(server.scope, { name: 'mail' })) as { token: string };
  const test = (caller = 'member') => call(caller, 'POST {scoped}/accounts/mail/test');
  for (const [caller, status] of [
    ['viewer', 403],
    ['rival', 404],
  ] as const)
    t.equal((await test(caller)).status, status, caller);
  t.equal((await call('member', 'POST {scoped}/accounts/nobody/test')).status, 404);
  const ordinary = far.who;
  const found: [number, unknown, string][] = [
    [200, ordinary, 'works'],
    [200, Buffer.alloc(4 * 1024 * 1024, 'a'), 'works'],
    [403, { error: `the token ${token} lacks a scope` }, 'refused'],
    [302, `${token}`, 'refused'],
    [404, token, 'refused'],
    [429, token, 'unreachable'],
    [500, token, 'unreachable'],
  ];
  for (const [status, who, result] of found) {
    Object.assign(far, { identity_status: status, who });
    const answer = await test();
    t.match(answer.json, { result, status }, answer.text);
    t.notOk(answer.text.includes(token), 'no token');
  }
  Object.assign(far, { identity_status: 200, who: ordinary });
  const entries = (await call('owner', 'GET {scoped}/audit')).json.entries as { action: string }[];
  t.equal(entries.filter(({ action }) => action === 'account.test').length, found.length, 'each is audited');
  await assertUnseen(t, world, token);
  await call('admin', 'POST {scoped}/accounts/mail/disable');
  t.match((await test()).json, { result: 'refused', says: /Reconnect the account/ });
});
