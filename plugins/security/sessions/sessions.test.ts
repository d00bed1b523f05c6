import t, { type Test } from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { boot, STORES, type Store, tablesWith, type TestOptions, type TestServer } from '../../../test/kit/index.ts';
import { claimRenewal } from './store/sessions.ts';
import { age, audited, Browser, CHROME, FIREFOX, HOUR_MS, MINUTE_MS } from './testing/browser.ts';

const PLUGINS = ['http', 'access', 'audit', 'sessions'];

async function open(t: Test, store: Store, more: Partial<TestOptions> = {}): Promise<TestServer> {
  const server = await boot({ store, access: 'project', plugins: PLUGINS, ...more });
  t.teardown(() => server.close());
  return server;
}

const WHO = 'GET /api/v1/whoami';
const write = (user: string) => `PUT /api/v1/orgs/acme/projects/web/members/${user}`;

async function signedIn(server: TestServer, caller = 'admin', user_agent = FIREFOX): Promise<Browser> {
  const browser = new Browser(server, user_agent);
  const answer = await browser.signIn(caller);
  if (answer.status !== 201) throw new Error(`${caller} cannot sign in: ${answer.status} ${answer.text}`);
  return browser;
}

for (const store of STORES)
  t.test(`sessions on ${store}`, async (t) => {
    const server = await open(t, store);
    const { call, use } = server;

    t.test('a session opens what its token opens', async (t) => {
      const browser = new Browser(server);
      const { status, json, headers } = await browser.signIn('admin');
      t.equal(status, 201);
      t.match(json, { user: 'admin1', csrf: /^[\w-]{43}$/, expires_at: /Z$/, idle_ms: 2 * HOUR_MS });
      t.match(headers.get('set-cookie'), /^svc_session=[\w.-]{87}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/);
      t.match((await browser.send(WHO)).json, { user: { name: 'admin1' }, token: { name: 'admin' } });
      t.equal((await browser.send(write('nora'), { role: 'viewer' })).status, 201);
      t.match((await browser.send('GET /api/v1/session')).json, json, 'a page that is loaded again');
      const viewer = await signedIn(server, 'viewer');
      t.match((await viewer.send(write('otto'), { role: 'viewer' })).json, { code: 'forbidden' });
      t.match((await call(undefined, WHO)).json, { code: 'not_authenticated' });
      const value = browser.cookie.split('=')[1]!;
      for (const secret of [value, ...value.split('.'), browser.csrf])
        t.same(await tablesWith(use(Database), secret), [], 'nothing of it is stored');
      t.match(await audited(server, 'session.begin'), [
        { subject: 'admin1', detail: 'by token, in Firefox 140 on Linux' },
        {},
      ]);
    });

    t.test('the header wins over the cookie', async (t) => {
      const { cookie } = await signedIn(server, 'admin');
      t.match((await call('viewer', WHO, undefined, { cookie })).json, { user: { name: 'viewer1' } });
      t.equal((await call('viewer', write('x1'), { role: 'viewer' }, { cookie })).status, 403);
      t.equal((await call('wrong', WHO, undefined, { cookie })).status, 401, 'also a wrong one');
      t.equal(
        (await call('admin', write('x2'), { role: 'viewer' }, { cookie })).status,
        201,
        'and needs no CSRF token',
      );
    });

    t.test('a write by cookie surely comes from a page of ours', async (t) => {
      const browser = await signedIn(server);
      const other = await signedIn(server, 'owner');
      const before = (await audited(server, 'session.refused')).length;
      const attacks: Record<string, Record<string, string | undefined>> = {
        'without the header': { 'x-svc-csrf': undefined },
        'an empty one': { 'x-svc-csrf': '' },
        'a wrong one': { 'x-svc-csrf': 'A'.repeat(43) },
        'that of another session': { 'x-svc-csrf': other.csrf },
        'from another site': { 'sec-fetch-site': 'cross-site' },
        'from a neighbour': { 'sec-fetch-site': 'same-site' },
        'of another origin': { origin: 'https://evil.example' },
        'of an opaque origin': { origin: 'null' },
      };
      for (const [name, headers] of Object.entries(attacks)) {
        const { status, json } = await browser.send(write('mallory'), { role: 'admin' }, headers);
        t.match({ status, ...json }, { status: 403, code: 'csrf_failed', next: /X-SVC-CSRF/ }, name);
      }
      t.equal((await browser.send('DELETE /api/v1/session', undefined, { 'x-svc-csrf': undefined })).status, 403);
      t.match((await call('admin', write('mallory').replace('PUT', 'GET'))).status, 404, 'nothing was done');
      const told = await audited(server, 'session.refused');
      t.equal(told.length - before, 1, 'told once a minute');
      t.match(told.at(-1), { subject: 'admin1', detail: /^PUT: the X-SVC-CSRF header is missing/ });
      const right = { origin: server.url, 'sec-fetch-site': 'same-origin' };
      t.equal((await browser.send(write('nina'), { role: 'viewer' }, right)).status, 201);
      t.equal((await browser.send(write('nils'), { role: 'viewer' }, { 'sec-fetch-site': undefined })).status, 201);
    });

    t.test('a page of another site reads nothing with it', async (t) => {
      const browser = await signedIn(server);
      for (const site of ['cross-site', 'same-site'])
        t.match(
          (await browser.send(WHO, undefined, { 'sec-fetch-site': site })).json,
          { code: 'not_authenticated' },
          site,
        );
      t.equal((await browser.send(WHO, undefined, { 'sec-fetch-site': 'none' })).status, 200, 'the address bar');
    });

    t.test('a session makes no session and no link', async (t) => {
      const browser = await signedIn(server);
      for (const path of ['/api/v1/session', '/api/v1/session/links'])
        t.match((await browser.send(`POST ${path}`)).json, { code: 'token_required' }, path);
    });

    t.test('it ends when it is idle, and when it is old', async (t) => {
      const [idle, used] = [await signedIn(server), await signedIn(server)];
      for (let hours = 0; hours < 11; hours += 1) {
        await age(server, HOUR_MS);
        t.equal((await used.send(WHO)).status, 200, `after ${hours + 1} hours`);
        if (hours < 1) t.equal((await idle.send('GET /api/v1/session')).status, 200);
        if (hours === 2)
          t.match(
            (await idle.send(WHO)).json,
            { code: 'not_authenticated', detail: /expired or was ended/ },
            'two hours idle',
          );
      }
      await age(server, HOUR_MS);
      t.equal((await used.send(WHO)).status, 401, 'twelve hours old');
    });

    t.test('signing out ends it, here and everywhere', async (t) => {
      const [one, two, three] = [
        await signedIn(server),
        await signedIn(server, 'admin', CHROME),
        await signedIn(server),
      ];
      const stranger = await signedIn(server, 'owner');
      const listed = (await two.send('GET /api/v1/sessions?limit=2')).json;
      t.match(listed.sessions, [
        { browser: 'Firefox 140 on Linux', current: false, signed_in_by: 'token', begun_at: /Z$/, last_seen_at: /Z$/ },
        { browser: 'Chrome 138 on Windows', current: true },
      ]);
      const next = (await two.send(`GET /api/v1/sessions?cursor=${listed.next_cursor}&limit=200`)).json;
      t.ok(next.sessions.length >= 1 && next.sessions.every(({ current }: { current: boolean }) => !current));
      const copied = one.copy();
      const out = await one.send('DELETE /api/v1/session');
      t.equal(out.status, 204);
      t.match(out.headers.get('set-cookie'), /^svc_session=; Path=\/; Max-Age=0; /);
      t.equal((await copied.send(WHO)).status, 401);
      t.match((await audited(server, 'session.end')).at(-1), { subject: 'admin1' });
      t.equal((await three.copy().send('DELETE /api/v1/sessions')).status, 204);
      for (const browser of [two, three]) t.equal((await browser.send(WHO)).status, 401);
      t.equal((await stranger.send(WHO)).status, 200, 'others stay');
      t.match((await audited(server, 'session.everywhere')).at(-1), { subject: 'admin1', detail: /\d sessions/ });
    });

    t.test('one session is ended from another browser, by its owner alone', async (t) => {
      const [here, lost, stranger] = [await signedIn(server), await signedIn(server), await signedIn(server, 'owner')];
      const { sessions } = (await lost.send('GET /api/v1/sessions')).json;
      const { id } = sessions.find(({ current }: { current: boolean }) => current);
      for (const [browser, wanted] of [
        [stranger, id],
        [here, 'ses_00000000000000000000000000'],
        [here, "'"],
      ] as const)
        t.equal((await browser.send(`DELETE /api/v1/sessions/${wanted}`)).status, 404, wanted);
      t.equal((await lost.send(WHO)).status, 200);
      t.equal((await here.send(`DELETE /api/v1/sessions/${id}`)).status, 204);
      t.equal((await lost.send(WHO)).status, 401);
      t.equal((await here.send(WHO)).status, 200);
      t.match((await audited(server, 'session.end')).at(-1), { subject: 'admin1', detail: 'Firefox 140 on Linux' });
      t.equal((await here.send(`DELETE /api/v1/sessions/${id}`)).status, 404, 'it has ended');
    });

    t.test('a further one than the hundredth ends the oldest', async (t) => {
      const [first, second] = [await signedIn(server, 'viewer'), await signedIn(server, 'viewer')];
      await call('viewer', 'DELETE /api/v1/sessions');
      for (const browser of [first, second]) await browser.signIn('viewer');
      for (let count = 2; count < 101; count += 1) await call('viewer', 'POST /api/v1/session');
      t.equal((await first.send(WHO)).status, 401);
      t.equal((await second.send(WHO)).status, 200);
    });

    t.test('it ends with its token, and may no more than its person', async (t) => {
      const made = await call('owner', 'POST /api/v1/tokens', { name: 'laptop', org: 'acme', user: 'member1' });
      const browser = await signedIn(server, made.json.token);
      t.equal((await browser.send('GET /api/v1/orgs/acme/projects/web')).status, 200);
      await call('owner', 'DELETE /api/v1/orgs/acme/projects/web/members/member1');
      t.equal((await browser.send('GET /api/v1/orgs/acme/projects/web')).status, 404, 'a member who was removed');
      t.equal((await call('owner', `DELETE /api/v1/tokens/${made.json.id}`)).status, 204);
      for (const line of [WHO, 'GET /api/v1/session', 'GET /api/v1/orgs/acme'])
        t.match((await browser.send(line)).json, { code: 'not_authenticated', detail: /revoked/ }, line);
      await call('owner', 'PUT /api/v1/orgs/acme/projects/web/members/member1', { role: 'member' });
    });
  });

for (const store of STORES)
  t.test(`cookies that are replaced, on ${store}`, async (t) => {
    const server = await open(t, store);

    t.test('after a quarter of an hour, by one of the requests under way', async (t) => {
      const browser = await signedIn(server);
      const first = browser.cookie;
      t.equal((await browser.send(WHO)).headers.get('set-cookie'), null);
      await age(server, 16 * MINUTE_MS);
      const side_by_side = await Promise.all(Array.from({ length: 6 }, () => browser.copy().send(WHO)));
      t.same(new Set(side_by_side.map(({ status }) => status)), new Set([200]));
      const set = side_by_side.flatMap(({ headers }) => headers.get('set-cookie') ?? []);
      t.equal(set.length, 1, 'one of them brings the next cookie');
      // Both have read that it is their turn, and neither knows of the other.
      const [row] = await server
        .use(Database)
        .read<{ session_id: string; issued: number }>('SELECT session_id, issued FROM sessions_sessions');
      const turns = [1, 2].map(() =>
        claimRenewal(server.use(Database), row!.session_id, Number(row!.issued), Date.now()),
      );
      t.same((await Promise.all(turns)).toSorted(), [false, true]);
      const old = browser.copy();
      browser.cookie = set[0]!.split(';')[0]!;
      t.not(browser.cookie, first);
      t.equal((await browser.send(write('rosa'), { role: 'viewer' })).status, 201, 'the CSRF token stays');
      t.equal((await old.send(WHO)).status, 200, 'a request that was under way');
    });

    t.test('a stolen one shows itself: the thief comes late', async (t) => {
      const browser = await signedIn(server);
      const thief = browser.copy();
      await age(server, 16 * MINUTE_MS);
      await browser.send(WHO);
      await browser.send(WHO);
      await age(server, 2 * MINUTE_MS);
      t.match((await thief.send(WHO)).json, { code: 'not_authenticated' });
      t.equal((await browser.send(WHO)).status, 401, 'it ends for both');
      t.match(await audited(server, 'session.stolen'), [
        { subject: 'admin1', detail: /a replaced cookie was used again/ },
      ]);
    });

    t.test('and when the thief comes first', async (t) => {
      const browser = await signedIn(server);
      const thief = browser.copy();
      await age(server, 16 * MINUTE_MS);
      t.equal((await browser.send(WHO)).status, 200);
      await age(server, 2 * MINUTE_MS);
      // The victim has got its next cookie and not used it; for the thief's, that answer counts as lost.
      await thief.send(WHO);
      t.equal((await thief.send(WHO)).status, 200);
      await age(server, 2 * MINUTE_MS);
      t.equal((await browser.send(WHO)).status, 401);
      t.equal((await thief.send(WHO)).status, 401);
      t.equal((await audited(server, 'session.stolen')).length, 2);
    });

    t.test('a lost answer ends nothing', async (t) => {
      const browser = await signedIn(server);
      await age(server, 16 * MINUTE_MS);
      const lost = await browser.copy().send(WHO);
      t.ok(lost.headers.get('set-cookie'));
      t.equal((await browser.copy().send(WHO)).headers.get('set-cookie'), null, 'it may still arrive');
      await age(server, 2 * MINUTE_MS);
      t.ok((await browser.send(WHO)).headers.get('set-cookie'), 'it gets another one');
      await age(server, 2 * MINUTE_MS);
      t.equal((await browser.send(WHO)).status, 200);
      t.equal((await audited(server, 'session.stolen')).length, 2);
    });

    t.test('one in another browser ends it', async (t) => {
      const browser = await signedIn(server);
      t.equal((await browser.copy(CHROME).send(WHO)).status, 401);
      t.equal((await browser.send(WHO)).status, 401);
      t.match((await audited(server, 'session.stolen')).at(-1), { detail: /Chrome.*Firefox/ });
    });

    t.test('also a refusal brings the next one', async (t) => {
      const browser = await signedIn(server, 'viewer');
      await age(server, 16 * MINUTE_MS);
      const { status, headers } = await browser.send(write('x'), { role: 'viewer' });
      t.equal(status, 403);
      t.match(headers.get('set-cookie'), /^svc_session=/);
    });
  });

t.test('at an https address', async (t) => {
  const server = await open(t, 'sqlite', { env: { SVC_PUBLIC_URL: 'https://svc.example' } });
  const browser = new Browser(server);
  const { headers } = await browser.signIn('admin');
  t.match(
    headers.get('set-cookie'),
    /^__Host-svc_session=[\w.-]{87}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure$/,
  );
  t.equal((await browser.send(WHO)).status, 200);
  t.equal((await browser.send(write('nora'), { role: 'viewer' }, { origin: 'https://svc.example' })).status, 201);
  const plain = browser.copy();
  plain.cookie = browser.cookie.replace('__Host-', '');
  t.equal((await plain.send(WHO)).status, 401, 'a neighbour could have set a cookie without the prefix');
});
