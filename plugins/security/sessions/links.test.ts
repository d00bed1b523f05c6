import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { boot, STORES, tablesWith, type TestServer } from '../../../test/kit/index.ts';
import { digestOf } from './domain/cookie.ts';
import { useLink } from './store/links.ts';
import { age, audited, Browser, MINUTE_MS } from './testing/browser.ts';

const PLUGINS = ['http', 'access', 'audit', 'sessions'];
const WHO = 'GET /api/v1/whoami';

async function linkOf(server: TestServer, caller = 'admin'): Promise<string> {
  const { status, json, text } = await server.call(caller, 'POST /api/v1/session/links');
  if (status !== 201) throw new Error(`no link: ${text}`);
  return json.url;
}
const codeOf = (url: string) => url.split('#')[1]!;

for (const store of STORES)
  t.test(`sign-in links on ${store}`, async (t) => {
    const server = await boot({ store, access: 'project', plugins: PLUGINS });
    t.teardown(() => server.close());

    t.test('one signs a browser in, once', async (t) => {
      const url = await linkOf(server);
      t.match(url, new RegExp(`^${server.url}/sign-in#[\\w-]{43}$`));
      t.same(await tablesWith(server.use(Database), codeOf(url)), [], 'its code is not stored');
      const browser = new Browser(server);
      const { status, json } = await browser.redeem(codeOf(url));
      t.match({ status, ...json }, { status: 201, user: 'admin1', csrf: /^[\w-]{43}$/ });
      t.match((await browser.send(WHO)).json, { user: { name: 'admin1' } });
      t.match(
        (await new Browser(server).redeem(codeOf(url))).json,
        { code: 'link_invalid', next: /svc console/ },
        'replayed',
      );
      t.match(await audited(server, 'session.link'), [{ subject: 'admin1' }]);
      t.match(await audited(server, 'session.begin'), [{ detail: /^by link/ }]);
    });

    t.test('of two at once, one gets in', async (t) => {
      const code = codeOf(await linkOf(server));
      const both = await Promise.all(Array.from({ length: 5 }, () => new Browser(server).redeem(code)));
      t.same(both.map(({ status }) => status).toSorted(), [201, 401, 401, 401, 401]);
      // Both have found it, and neither knows of the other.
      const digest = digestOf(codeOf(await linkOf(server)));
      const used = await Promise.all([1, 2].map(() => useLink(server.use(Database), digest)));
      t.same(used.toSorted(), [false, true]);
    });

    t.test('it is over after five minutes', async (t) => {
      const [early, late] = [codeOf(await linkOf(server)), codeOf(await linkOf(server))];
      await age(server, 4 * MINUTE_MS);
      t.equal((await new Browser(server).redeem(early)).status, 201);
      await age(server, 2 * MINUTE_MS);
      t.match((await new Browser(server).redeem(late)).json, { code: 'link_invalid' });
    });

    t.test('the code is taken from the body of a page of ours only', async (t) => {
      const code = codeOf(await linkOf(server));
      const redeem = 'POST /api/v1/session/redeem';
      t.equal((await server.call(undefined, `${redeem}?code=${code}`)).status, 400);
      t.equal((await server.call(undefined, redeem, `code=${code}`, { 'content-type': 'text/plain' })).status, 415);
      t.equal((await server.call(undefined, redeem, { code }, { origin: 'https://evil.example' })).status, 403);
      t.equal((await server.call(undefined, redeem, { code }, { 'sec-fetch-site': 'cross-site' })).status, 403);
      for (const wrong of ['x', 'A'.repeat(43), code.slice(1)])
        t.match((await server.call(undefined, redeem, { code: wrong })).json, { code: 'link_invalid' });
      t.equal((await new Browser(server).redeem(code)).status, 201, 'it was not used up');
    });

    t.test('it ends with the token that made it', async (t) => {
      const made = await server.call('owner', 'POST /api/v1/tokens', { name: 'lost', org: 'acme' });
      const code = codeOf(await linkOf(server, made.json.token));
      await server.call('owner', `DELETE /api/v1/tokens/${made.json.id}`);
      t.match((await new Browser(server).redeem(code)).json, { code: 'link_invalid', detail: /revoked/ });
    });

    t.test('the session is bound to that token', async (t) => {
      const made = await server.call('owner', 'POST /api/v1/tokens', {
        name: 'short',
        org: 'acme',
        role: 'viewer',
        project: 'web',
      });
      const browser = new Browser(server);
      await browser.redeem(codeOf(await linkOf(server, made.json.token)));
      t.equal((await browser.send('PUT /api/v1/orgs/acme/projects/web/members/x', { role: 'viewer' })).status, 403);
      await server.call('owner', `DELETE /api/v1/tokens/${made.json.id}`);
      t.equal((await browser.send(WHO)).status, 401);
    });
  });
