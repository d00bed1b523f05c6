import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { boot } from '../../../test/kit/index.ts';
import { Person, openWorld, OidcWorld } from './testing/world.ts';

const ENV = { SVC_OIDC_CLIENT_ID: 'svc', SVC_OIDC_CLIENT_SECRET: 'hush-hush' };
const PLUGINS = ['http', 'access', 'audit', 'sessions', 'oidc'];

async function serverFor(t: Test, issuer: string, more: Record<string, string> = { SVC_EGRESS_ALLOW: '127.0.0.1' }) {
  const env = { ...ENV, SVC_OIDC_ISSUER: issuer, ...more };
  const server = await boot({ access: 'project', plugins: PLUGINS, env });
  t.teardown(() => server.close());
  return server;
}

/** Answers every request with what the test says; counts them. */
async function openFar(t: Test) {
  const far = { url: '', asked: 0, status: 200, body: '' };
  const server = createServer((_request, response) => {
    far.asked += 1;
    response.writeHead(far.status, { 'content-type': 'application/json' });
    response.end(far.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  far.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.teardown(() => new Promise((resolve) => server.close(resolve)));
  return far;
}

t.test('an issuer that cannot be used is told of, and lets nobody in', async (t) => {
  const far = await openFar(t);
  const server = await serverFor(t, far.url);
  const good = { issuer: far.url, authorization_endpoint: `${far.url}/auth`, token_endpoint: `${far.url}/token` };
  const bad: [string, number, unknown, RegExp][] = [
    ['a fault', 500, {}, /invalid response/],
    ['no such page', 404, {}, /invalid response/],
    ['no JSON', 200, '<html>', /invalid response/],
    ['another issuer', 200, { ...good, issuer: 'https://evil.example' }, /invalid response/],
    ['no place to go', 200, { ...good, authorization_endpoint: undefined }, /has no authorization_endpoint/],
    ['a place without TLS', 200, { ...good, authorization_endpoint: 'http://evil.example/auth' }, /must be https/],
    ['a place that is no text', 200, { ...good, authorization_endpoint: 5 }, /authorization_endpoint is not text/],
    ['a token place that is no text', 200, { ...good, token_endpoint: {} }, /token_endpoint is not text/],
    ['no token place', 200, { ...good, token_endpoint: undefined }, /has no token_endpoint/],
    ['keys at no place', 200, { ...good, jwks_uri: 'nowhere' }, /jwks_uri must be an https address/],
    [
      'ways that are no list',
      200,
      { ...good, token_endpoint_auth_methods_supported: 7 },
      /auth_methods_supported is not a list/,
    ],
    ['a script', 200, { ...good, authorization_endpoint: 'javascript:alert(1)' }, /must be an https address/],
    ['too much', 200, `"${'x'.repeat(2 ** 21)}"`, /more than \d+ bytes/],
  ];
  for (const [name, status, body, says] of bad) {
    Object.assign(far, { status, body: typeof body === 'string' ? body : JSON.stringify(body) });
    const started = await server.call(undefined, 'GET /session/start');
    t.equal(started.status, 424, name);
    t.match(started.text, says, name);
    const { json } = await server.call('owner', 'POST /api/v1/orgs/acme/session/methods/check');
    t.match(json.checks, [{ method: 'oidc', ok: false, says }], name);
  }
  Object.assign(far, { status: 200, body: JSON.stringify(good), asked: 0 });
  const crowd = await Promise.all(
    Array.from({ length: 10 }, () => fetch(`${server.url}/session/start`, { redirect: 'manual' })),
  );
  t.same(new Set(crowd.map(({ status }) => status)), new Set([303]));
  t.equal(far.asked, 1, 'however many come, it is asked once');
  const location = new URL(crowd[0]!.headers.get('location')!);
  t.match(Object.fromEntries(location.searchParams), {
    ...{ response_type: 'code', client_id: 'svc', scope: 'openid profile email', code_challenge_method: 'S256' },
    redirect_uri: `${server.url}/session/callback`,
    code_challenge: /^[\w-]{43}$/,
    nonce: /^[\w-]{43}$/,
  });
  t.match(crowd[0]!.headers.get('set-cookie'), /^svc_sign_in=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/);
});

t.test('an issuer that nobody reaches', async (t) => {
  const gone = await serverFor(t, 'http://127.0.0.1:1');
  t.match((await gone.call(undefined, 'GET /session/start')).text, /connection was refused/);
  const barred = await serverFor(t, 'http://127.0.0.1:1', {});
  const { json } = await barred.call('owner', 'POST /api/v1/orgs/acme/session/methods/check');
  t.match(json.checks, [{ ok: false, says: /SVC_EGRESS_ALLOW/ }]);
});

t.test('a client secret that is wrong', async (t) => {
  const right = await openWorld(t, 'sqlite');
  right.groups.set('ana', ['web-team']);
  const { port } = new URL(right.server.url);
  await right.server.close();
  const server = await boot({
    access: 'project',
    plugins: PLUGINS,
    settings: { port: Number(port) },
    env: { ...ENV, SVC_EGRESS_ALLOW: '127.0.0.1', SVC_OIDC_ISSUER: right.issuer.url },
  });
  t.teardown(() => server.close());
  const { status, text } = await new Person(new OidcWorld(server, right.issuer, right.groups)).signIn('ana');
  t.equal(status, 424);
  t.match(text, /the issuer answers invalid_client/);
  t.notMatch(text, /hush/);
});

t.test('without an issuer', async (t) => {
  const server = await boot({ access: 'project', plugins: PLUGINS });
  t.teardown(() => server.close());
  t.same((await server.call(undefined, 'GET /api/v1/session/methods')).json, { token: true });
  t.same((await server.call('owner', 'POST /api/v1/orgs/acme/session/methods/check')).json, { checks: [] });
  for (const path of ['/session/start', '/session/callback?code=x&state=y']) {
    const { status, text } = await server.call(undefined, `GET ${path}`);
    t.equal(status, 404);
    t.match(text, /No issuer is configured for sign-in/);
  }
});
