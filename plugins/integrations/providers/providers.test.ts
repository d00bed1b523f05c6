import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { boot } from '../../../test/kit/index.ts';
import { createPkce, Providers, type TokenOutcome } from './contract.ts';
import { readIdentity } from './domain/identity.ts';
import { readProviderSettings } from './domain/read-settings.ts';
import { normalizeTokenResponse, redactMessage } from './domain/token-response.ts';

const GOOD = {
  name: 'forge',
  authorize_url: 'https://forge.example/authorize?audience=api',
  token_url: 'https://forge.example/token',
  client_id: 'svc',
  client_secret: 'hush-hush',
  scopes: ['repo', 'offline_access'],
  capabilities: { rotates_refresh_token: true, reuse_revokes_family: false },
  identity: { url: 'https://forge.example/user', id_pointer: '/id', label_pointer: '/login' },
};

const read = (providers: unknown, env: Record<string, string> = {}) =>
  readProviderSettings({
    SVC_CONNECTED_ACCOUNT_PROVIDERS: typeof providers === 'string' ? providers : JSON.stringify(providers),
    ...env,
  });
const faultsOf = (providers: unknown, env?: Record<string, string>) =>
  read(providers, env).errors.map(({ path, message }) => `${path} ${message}`);

t.test('settings are read inline, from a file, and with their secret elsewhere', async (t) => {
  t.same(readProviderSettings({}), { providers: [], redirect_uri: undefined, errors: [] });
  t.same(read([GOOD]).providers, [GOOD]);
  const folder = t.testdir({ 'providers.json': JSON.stringify([GOOD]), secret: 'from-a-file\n', empty: '' });
  t.same(read(`@${folder}/providers.json`).providers, [GOOD]);
  const secretOf = (client_secret: string) =>
    read([{ ...GOOD, client_secret }], { FORGE_SECRET: 'from-the-environment' }).providers[0]?.client_secret;
  t.equal(secretOf(`@${folder}/secret`), 'from-a-file');
  t.equal(secretOf('env:FORGE_SECRET'), 'from-the-environment');
  t.same(faultsOf([{ ...GOOD, client_secret: 'env:NOBODY' }]), [
    '[0].client_secret names the variable NOBODY, which is not set',
  ]);
  t.match(faultsOf([{ ...GOOD, client_secret: `@${folder}/none` }]), [
    /^\[0\]\.client_secret .*cannot be read \(ENOENT\)/,
  ]);
  t.match(faultsOf(`@${folder}/none`), [/^SVC_CONNECTED_ACCOUNT_PROVIDERS names the file .*cannot be read/]);
  t.match(faultsOf(`@${folder}/empty`), [/is empty/]);
});

t.test('every fault is told at once, by index and field, and no value', async (t) => {
  const { client_secret: _, capabilities: __, ...without } = GOOD;
  const faults = faultsOf([
    GOOD,
    { ...without, token_url: 'http://forge.example/token', extra: 1 },
    {
      ...GOOD,
      name: 'other',
      authorize_url: 'ftp://x/',
      scopes: 'repo',
      capabilities: { rotates_refresh_token: 'yes' },
      identity: { url: 'http://127.0.0.1.example/', id_pointer: 'id' },
      assumed_lifetime_secs: 0,
    },
    'forge',
  ]);
  for (const wanted of [
    /^\[1\]\.client_secret is required$/,
    /^\[1\]\.capabilities is required$/,
    /^\[1\]\.extra is not a known member$/,
    /^\[1\]\.token_url must be https; plain http is accepted for localhost only$/,
    /^\[1\]\.name is also the name of \[0\]$/,
    /^\[2\]\.authorize_url must be an https address$/,
    /^\[2\]\.scopes must be an array$/,
    /^\[2\]\.capabilities\.rotates_refresh_token must be a boolean$/,
    /^\[2\]\.capabilities\.reuse_revokes_family is required$/,
    /^\[2\]\.identity\.url must be https/,
    /^\[2\]\.identity\.id_pointer /,
    /^\[2\]\.assumed_lifetime_secs /,
    /^\[3\] must be an object$/,
  ])
    t.ok(
      faults.some((fault) => wanted.test(fault)),
      String(wanted),
    );
  t.equal(faults.length, 13, faults.join('\n'));
  t.notMatch(faults.join(), /hush/);
  t.same(faultsOf('{"a": 1}'), ['SVC_CONNECTED_ACCOUNT_PROVIDERS must be a JSON array of providers']);
  t.same(faultsOf('[hush'), ['SVC_CONNECTED_ACCOUNT_PROVIDERS is not valid JSON']);
});

t.test('addresses are https, or http of this machine', async (t) => {
  const ofToken = (token_url: string) => faultsOf([{ ...GOOD, token_url }]);
  for (const good of [
    'http://localhost/t',
    'http://127.0.0.1:8/t',
    'http://127.9.8.7/t',
    'http://[::1]:8/t',
    'HTTPS://a.b/t',
  ])
    t.same(ofToken(good), [], good);
  for (const bad of [
    'http://localhost.example/',
    'http://10.0.0.1/',
    'http://[::2]/',
    'token',
    'https://u:p@a.b/',
    'https://a.b/#x',
  ])
    t.equal(ofToken(bad).length, 1, bad);
  t.match(faultsOf([{ ...GOOD, authorize_url: 'https://a.b/?scope=x' }]), [/must not contain the parameter scope/]);
  const redirect = (uri: string) => faultsOf([GOOD], { SVC_CONNECTED_ACCOUNTS_REDIRECT_URI: uri });
  t.same(redirect('https://svc.example/x/connections/callback'), []);
  t.match(redirect('http://svc.example/connections/callback'), [/^SVC_CONNECTED_ACCOUNTS_REDIRECT_URI must be https/]);
  t.match(redirect('https://svc.example/callback'), [/must end with \/connections\/callback/]);
  t.match(redirect('https://svc.example/connections/callback?a=1'), [/must not contain a query/]);
});

t.test('answers of token endpoints, as they come', async (t) => {
  const json = (status: number, body: unknown) =>
    normalizeTokenResponse(status, 'application/json', Buffer.from(JSON.stringify(body)));
  const form = (status: number, body: string) =>
    normalizeTokenResponse(status, 'application/x-www-form-urlencoded', Buffer.from(body));
  const tokens = { access_token: 'a', token_type: 'bearer' };
  t.same(json(200, { access_token: 'a' })?.body, tokens);
  t.same(json(200, { access_token: 'a', token_type: 'bot', expires_in: '3600', id_token: 'x' })?.body, {
    ...tokens,
    expires_in: 3600,
  });
  t.same(form(200, 'access_token=a&scope=repo%2Cgist&token_type=bearer')?.body, { ...tokens, scope: 'repo gist' });
  t.same(json(201, { access_token: 'a', expires_in: -1, refresh_token: '' })?.body, tokens);
  t.same(json(200, { access_token: 'a', expires_in: 'soon', scope: ['x', 'y'] })?.body, { ...tokens, scope: 'x y' });
  t.same(json(200, { error: 'bad_refresh_token' }), { status: 400, body: { error: 'bad_refresh_token' } });
  t.same(form(200, 'error=bad_verification_code&error_description=no')?.body, {
    error: 'bad_verification_code',
    error_description: 'no',
  });
  t.same(normalizeTokenResponse(401, 'text/html', Buffer.from('<p>who?'))?.body, { error: 'invalid_client' });
  const type = 'application/x-www-form-urlencoded';
  const long_form = (fields: number) => Buffer.from(`access_token=x&${'a&'.repeat(fields)}`);
  t.match(normalizeTokenResponse(200, type, long_form(1000))?.body, { access_token: 'x' });
  t.equal(normalizeTokenResponse(200, type, long_form(100_000)), undefined, 'a form of many fields is not read');
  const long_json = (bytes: number) => json(200, { access_token: 'x', more: 'm'.repeat(bytes) });
  t.match(long_json(60_000)?.body, { access_token: 'x' });
  t.equal(long_json(70_000), undefined, 'nor is long JSON');
  t.same(normalizeTokenResponse(400, 'text/html', Buffer.from('<p>what?'))?.body, { error: 'invalid_request' });
  for (const status of [302, 429, 500, 502, 503])
    t.equal(json(status, { error: 'invalid_grant' }), undefined, `${status}`);
  for (const body of ['', 'hello', '<html>', '[]', '{"access_token": 7}', '{"access_token": ""}', '{"a":'])
    t.equal(normalizeTokenResponse(200, 'text/html', Buffer.from(body)), undefined, body);
  t.equal(redactMessage('bad\u0007 tok\n\nsecret-1', ['secret-1']), 'bad tok ***');
});

t.test('who somebody is stands at a pointer, as a text', async (t) => {
  const at = (document: string, id_pointer = '/id', label_pointer?: string) =>
    readIdentity(Buffer.from(document), { id_pointer, ...(label_pointer === undefined ? {} : { label_pointer }) });
  t.same(at('{"id": 12345678901234567890}'), { id: '12345678901234567890', label: '12345678901234567890' });
  t.same(at('{"a/b": {"~": ["x", "y"]}}', '/a~1b/~0/1'), { id: 'y', label: 'y' });
  t.same(at('{"id": "7", "login": "  an\\na "}', '/id', '/login'), { id: '7', label: 'an a' });
  t.same(at('{"id": "7", "login": {}}', '/id', '/login'), { id: '7', label: '7' });
  t.match(at(`{"id": "7", "more": "${'m'.repeat(250_000)}"}`), { id: '7' });
  t.match(at(`{"id": "7", "more": "${'m'.repeat(270_000)}"}`), { error: /more than 262144 bytes/ });
  for (const bad of [
    '{"id": {}}',
    '{"id": null}',
    '{"id": true}',
    '{"id": ""}',
    '{}',
    '[]',
    '<p>',
    '{"id": "a\\u0000b"}',
    `{"id": "${'x'.repeat(256)}"}`,
  ])
    t.ok('error' in at(bad), bad.slice(0, 20));
  t.ok('error' in at('{"id": "x"}', '/id/length'));
  t.ok('error' in at('{"id": "x"}', '/__proto__'));
  t.ok('error' in at('['.repeat(5000)), 'a deep document is refused and does not break');
});

interface Far {
  url: string;
  requests: { path: string; body: string; headers: IncomingMessage['headers'] }[];
  answer: (request: IncomingMessage, response: ServerResponse) => void;
}

async function farEnd(t: Test): Promise<Far> {
  const far: Far = { url: '', requests: [], answer: (_, response) => response.end() };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      far.requests.push({ path: request.url!, body: Buffer.concat(chunks).toString(), headers: request.headers });
      far.answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  far.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return far;
}

async function provider(t: Test, far: Far, more: object = {}) {
  const settings = {
    ...GOOD,
    authorize_url: `${far.url}/authorize?access_type=offline`,
    token_url: `${far.url}/token`,
    revoke_url: `${far.url}/revoke`,
    identity: { url: `${far.url}/user`, id_pointer: '/id' },
    ...more,
  };
  const env = { SVC_EGRESS_ALLOW: '127.0.0.1', SVC_CONNECTED_ACCOUNT_PROVIDERS: JSON.stringify([settings]) };
  const server = await boot({ plugins: ['http', 'access', 'providers'], env });
  t.teardown(() => server.close());
  return { server, it: server.use(Providers).find('forge')! };
}

const reply =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (_: unknown, response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

t.test('requests of OAuth', async (t) => {
  const far = await farEnd(t);
  const { it, server } = await provider(t, far);
  const { verifier, challenge } = createPkce(Buffer.alloc(32, 7));
  const redirect_uri = 'https://svc.example/connections/callback';

  t.test('a grant is asked for with PKCE, and the own query is kept', async (t) => {
    const url = new URL(it.authorizeUrl({ state: 's', code_challenge: challenge, redirect_uri }));
    t.same(Object.fromEntries(url.searchParams), {
      access_type: 'offline',
      response_type: 'code',
      client_id: 'svc',
      redirect_uri,
      state: 's',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      scope: 'repo offline_access',
    });
  });

  t.test('a code becomes tokens', async (t) => {
    far.answer = reply(200, {
      access_token: 'at',
      refresh_token: 'rt',
      expires_in: '60',
      scope: 'repo',
      id_token: 'no',
    });
    t.same(await it.exchange({ code: 'c', state: 's', redirect_uri, verifier }), {
      outcome: 'granted',
      tokens: { access_token: 'at', refresh_token: 'rt', lifetime_ms: 60_000, scopes: ['repo'] },
    });
    const { body, headers } = far.requests.at(-1)!;
    t.same(Object.fromEntries(new URLSearchParams(body)), {
      grant_type: 'authorization_code',
      code: 'c',
      redirect_uri,
      code_verifier: verifier,
    });
    t.equal(headers.authorization, `Basic ${Buffer.from('svc:hush-hush').toString('base64')}`);
  });

  t.test('what becomes of a renewal', async (t) => {
    const cases: [Far['answer'], Partial<TokenOutcome> | object][] = [
      [reply(200, { access_token: 'a2' }), { outcome: 'granted', tokens: { access_token: 'a2' } }],
      [
        reply(400, { error: 'invalid_grant', error_description: 'rt-1 was used' }),
        { outcome: 'refused', revoked: true, why: 'it answered invalid_grant: *** was used' },
      ],
      [reply(200, { error: 'bad_refresh_token' }), { outcome: 'refused', revoked: true }],
      [reply(401, {}, { 'www-authenticate': 'Basic' }), { outcome: 'refused', revoked: false }],
      [reply(429, {}, { 'retry-after': '7' }), { outcome: 'later', after_ms: 7000 }],
      [reply(503, {}, { 'retry-after': '7' }), { outcome: 'later', after_ms: 7000 }],
      [reply(503, {}), { outcome: 'unknown' }],
      [reply(500, { error: 'invalid_grant' }), { outcome: 'unknown' }],
      [reply(200, {}), { outcome: 'unknown' }],
      [reply(302, {}, { location: `${far.url}/elsewhere` }), { outcome: 'unknown' }],
      [(request) => request.socket.destroy(), { outcome: 'unknown' }],
    ];
    for (const [answer, wanted] of cases) {
      far.answer = answer;
      const before = far.requests.length;
      t.match(await it.renew('rt-1'), wanted);
      t.equal(far.requests.length, before + 1, 'it is presented once');
    }
  });

  t.test('identity and revocation', async (t) => {
    far.answer = reply(200, { id: 7 });
    t.same(await it.identify('at'), { id: '7', label: '7' });
    t.equal(far.requests.at(-1)?.headers.authorization, 'Bearer at');
    far.answer = reply(401, {});
    t.match(await it.identify('at'), { revoked: true });
    far.answer = reply(500, {});
    t.match(await it.identify('at'), { revoked: false, error: /500/ });
    far.answer = (_, response) => response.setHeader('content-type', 'text/html').end('ok');
    t.equal(await it.revoke({ access_token: 'at', refresh_token: 'rt' }), undefined);
    t.same(
      far.requests.slice(-2).map(({ body }) => Object.fromEntries(new URLSearchParams(body))),
      [
        { token: 'rt', token_type_hint: 'refresh_token' },
        { token: 'at', token_type_hint: 'access_token' },
      ],
    );
    far.answer = (request) => request.socket.destroy();
    t.match(await it.revoke({ access_token: 'at' }), /broke/);
  });

  t.test('an issuer is that of the settings, or has an origin of theirs', async (t) => {
    t.equal(it.validateIssuer(`${far.url}/realm`), undefined);
    t.ok(it.validateIssuer('https://evil.example'));
    t.ok(it.validateIssuer('nonsense'));
    const { it: exact } = await provider(t, far, { issuer: `${far.url}/a` });
    t.equal(exact.validateIssuer(`${far.url}/a`), undefined);
    t.ok(exact.validateIssuer(`${far.url}/b`));
  });

  t.test('the list shows no secret, and the check says what each endpoint answers', async (t) => {
    const { json } = await server.call('viewer', `GET ${server.scoped}/providers`);
    t.same(json.providers, [
      {
        ...{ name: 'forge', title: 'forge', grants: ['authorization_code'], scopes: GOOD.scopes },
        ...{ capabilities: GOOD.capabilities, ends_grants: true },
      },
    ]);
    far.answer = (request, response) =>
      request.url === '/token' ? reply(401, { error: 'invalid_client' })(request, response) : response.end();
    const check = await server.call('admin', `POST ${server.scoped}/providers/check`);
    t.same(
      check.json.checks.map(({ endpoint, ok }: { endpoint: string; ok: boolean }) => [endpoint, ok]),
      [
        ['redirect_uri', true],
        ['authorize_url', true],
        ['token_url', false],
        ['identity.url', true],
        ['revoke_url', true],
      ],
    );
    t.notMatch(check.text, /hush/);
  });
});

t.test('the client authenticates in the body where the settings say so', async (t) => {
  const far = await farEnd(t);
  const { it } = await provider(t, far, { token_endpoint_auth: 'post' });
  far.answer = reply(200, { access_token: 'a' });
  await it.renew('rt');
  const { body, headers } = far.requests.at(-1)!;
  t.match(Object.fromEntries(new URLSearchParams(body)), { client_id: 'svc', client_secret: 'hush-hush' });
  t.equal(headers.authorization, undefined);
});

t.test('a server with wrong settings does not start', async (t) => {
  const env = { SVC_CONNECTED_ACCOUNT_PROVIDERS: JSON.stringify([{ ...GOOD, token_url: 'http://forge.example/' }]) };
  await t.rejects(boot({ plugins: ['http', 'access', 'providers'], env }), {
    code: 'setting_invalid',
    message: /\[0\]\.token_url must be https/,
  });
});
