import t from 'tap';
import { boot } from '../../../test/kit/index.ts';
import { MAX_SESSIONS } from './domain/lifetimes.ts';
import { audited, Browser } from './testing/browser.ts';

const PLUGINS = ['http', 'access', 'audit', 'sessions'];
const WHO = 'GET /api/v1/whoami';
const guess = (n: number) => `svc_session=${String(n).padStart(43, 'g')}.${'g'.repeat(43)}`;

t.test('guesses of cookies count like guesses of tokens', async (t) => {
  const env = { SVC_RATE_LIMIT: 'failed=3/m' };
  const server = await boot({ access: 'project', plugins: PLUGINS, env });
  t.teardown(() => server.close());
  const mine = new Browser(server);
  await mine.signIn('admin');
  t.equal((await mine.send(WHO)).status, 200);
  const abroad = await server.call(undefined, WHO, undefined, { cookie: guess(0), 'sec-fetch-site': 'cross-site' });
  t.equal(abroad.status, 401, 'what another site sends is no guess');
  const of = async (n: number) => (await server.call(undefined, WHO, undefined, { cookie: guess(n) })).status;
  t.same([await of(1), await of(2), await of(3), await of(4)], [401, 401, 401, 429]);
  t.match(await server.call(undefined, WHO, undefined, { cookie: guess(5) }), {
    headers: {},
    json: { code: 'rate_limited' },
  });
  t.equal((await mine.send(WHO)).status, 200, "nobody's guesses lock out another");
  t.equal((await server.call(undefined, 'GET /api/v1/session/methods', undefined, { cookie: guess(6) })).status, 200);
});

t.test('a cookie that no server has given counts like one that no session has', async (t) => {
  const env = { SVC_RATE_LIMIT: 'failed=3/m' };
  const server = await boot({ access: 'project', plugins: PLUGINS, env });
  t.teardown(() => server.close());
  const mine = new Browser(server);
  await mine.signIn('admin');
  const of = async (cookie: string, more = {}) =>
    (await server.call(undefined, WHO, undefined, { cookie, ...more })).status;
  for (let n = 0; n < 5; n++)
    t.equal(await of('svc_session='), 401, 'a cookie that a sign-out has emptied is no guess');
  for (let n = 0; n < 5; n++) t.equal(await of('theme=dark'), 401, 'nor is the cookie of somebody else');
  const foreign = { cookie: guess(1), 'sec-fetch-site': 'cross-site' };
  for (let n = 0; n < 5; n++) {
    const write = await server.call(undefined, 'POST /api/v1/tokens', { name: 'x' }, foreign);
    t.equal(write.status, 401, 'nor is what a page of another site makes a browser write');
  }
  const statuses = [];
  for (let n = 0; n < 4; n++) statuses.push(await of(`svc_session=wrong-${n}`));
  t.same(statuses, [401, 401, 401, 429]);
  t.equal((await mine.send(WHO)).status, 200, "nobody's guesses lock out another");
  t.equal((await server.call('admin', WHO, undefined, { cookie: 'svc_session=x' })).status, 200, 'a token wins');
});

t.test('a session that another one replaces is audited as ended', async (t) => {
  const server = await boot({ access: 'project', plugins: PLUGINS });
  t.teardown(() => server.close());
  const browser = new Browser(server);
  await browser.signIn('admin');
  await browser.signIn('viewer');
  t.match(await audited(server, 'session.end'), [{ subject: 'admin1', detail: 'this browser has signed in again' }]);
  for (let n = 0; n < MAX_SESSIONS + 1; n++) await new Browser(server).signIn('owner');
  const ended = (await audited(server, 'session.end')).slice(1);
  t.match(ended, [{ subject: 'olga', detail: `a person can have at most ${MAX_SESSIONS}` }]);
  t.equal(ended.length, 1);
});
