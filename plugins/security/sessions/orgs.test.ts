import t from 'tap';
import { boot, STORES } from '../../../test/kit/index.ts';
import { Bootstrap } from '../access/contract.ts';
import { MAX_SESSIONS } from './domain/lifetimes.ts';
import { Browser } from './testing/browser.ts';

interface Entry {
  action: string;
  subject: string;
  request_id: string;
  ip: string;
  principal: { token_id: string } | null;
}

for (const store of STORES)
  t.test(`the audit of an org has what tokens with reach into it did, on ${store}`, async (t) => {
    const server = await boot({ store, access: 'empty', plugins: ['http', 'access', 'audit', 'sessions'] });
    t.teardown(() => server.close());
    const { call } = server;
    const bootstrap = server.use(Bootstrap);
    const whole = (await bootstrap.ensure({ user: 'ana', org: 'here', project: 'web' })).token;
    t.equal((await call(whole, 'PUT /api/v1/orgs/there')).status, 201);
    const limited = async (org: string) =>
      (await call(whole, 'POST /api/v1/tokens', { name: `of-${org}`, org })).json as { id: string; token: string };
    const [here, there] = [await limited('here'), await limited('there')];
    const entries = async (org: string) =>
      (await call(whole, `GET /api/v1/orgs/${org}/audit?limit=200`)).json.entries as Entry[];
    const known = new Set([...(await entries('here')), ...(await entries('there'))].map((one) => JSON.stringify(one)));
    const fresh = async (org: string) => (await entries(org)).filter((one) => !known.has(JSON.stringify(one)));
    const actions = async (org: string) => (await fresh(org)).map(({ action }) => action).reverse();

    await t.test('a token of one org leaves no trace in another', async (t) => {
      const { json } = await call(there.token, 'POST /api/v1/tokens', { name: 'more' });
      await call(there.token, `DELETE /api/v1/tokens/${json.id}`);
      const browser = new Browser(server);
      await browser.signIn(there.token);
      await call(there.token, 'POST /api/v1/session/links');
      await browser.send('PUT /api/v1/orgs/there/projects/p1', undefined, { 'x-svc-csrf': undefined });
      await browser.send('DELETE /api/v1/sessions');
      t.same(await actions('here'), []);
      t.same(await actions('there'), [
        ...['token.create', 'token.revoke', 'session.begin', 'session.link', 'session.refused'],
        'session.everywhere',
      ]);
    });

    await t.test('a session that a sign-in elsewhere ends is told without where that was', async (t) => {
      const browser = new Browser(server);
      await browser.signIn(here.token);
      const [begun] = await fresh('here');
      await browser.signIn(there.token);
      const ended = (await fresh('here')).find(({ action }) => action === 'session.end')!;
      t.match(ended, { subject: 'ana', principal: { token_id: here.id }, request_id: '', ip: '' });
      t.not(begun!.ip, '', 'its own request is told');
      t.notMatch(JSON.stringify(await fresh('here')), there.id);

      await new Browser(server).signIn(here.token);
      const before = (await fresh('here')).length;
      for (let n = 0; n < MAX_SESSIONS; n += 1) await new Browser(server).signIn(there.token);
      const [displaced, ...more] = (await fresh('here')).slice(0, (await fresh('here')).length - before);
      t.match(displaced, { action: 'session.end', principal: { token_id: here.id }, request_id: '', ip: '' });
      t.same(more, []);
    });

    await t.test('a token without limits is in each of them', async (t) => {
      const count = async (org: string) => (await fresh(org)).filter(({ action }) => action === 'token.create').length;
      const before = [await count('here'), await count('there')];
      await call(whole, 'POST /api/v1/tokens', { name: 'everywhere' });
      t.same(
        [await count('here'), await count('there')],
        before.map((one) => one + 1),
      );
    });
  });
