import t from 'tap';
import { STORES, tablesWith } from '../../../test/kit/index.ts';
import { Database } from '../../../kernel/contracts/index.ts';
import { Prunables } from '../../platform/retention/contract.ts';
import { openWorld } from './testing/world.ts';

for (const store of STORES)
  t.test(`sign-in by an issuer, on ${store}`, { timeout: 600_000 }, async (t) => {
    const world = await openWorld(t, store);
    const { groups, server, issuer } = world;

    t.test('the page is told of it, and svc doctor too', async (t) => {
      const { json } = await server.call(undefined, 'GET /api/v1/session/methods');
      t.same(json, { token: true, oidc: { title: new URL(issuer.url).host, start: '/session/start' } });
      const checked = await server.call('owner', 'POST /api/v1/orgs/acme/session/methods/check');
      t.match(checked.json.checks, [{ method: 'oidc', ok: true, says: /answers/ }]);
    });

    t.test('a person with a mapped role gets in, and on to where they wanted to go', async (t) => {
      groups.set('ana', ['web-team', 'others']);
      const ana = world.person();
      const { status, location } = await ana.signIn('ana', '/session/start?to=/orgs/acme/projects/web?tag=x');
      t.equal(status, 303);
      t.equal(location, `${server.url}/orgs/acme/projects/web?tag=x`);
      t.match((await ana.go('/api/v1/session')).json, { user: 'ana-at-the-provider', csrf: /./ });
      t.match((await ana.go('/api/v1/whoami')).json, { user: { name: 'ana-at-the-provider' }, token: { id: /^ses_/ } });
      t.same(await ana.roles(), { acme: 'member', 'acme/web': 'member' });
      const listed = (await ana.go('/api/v1/sessions')).json.sessions;
      t.match(listed, [{ signed_in_by: 'oidc', current: true }]);
      t.match(await world.audited('session.begin'), [{ subject: 'ana-at-the-provider', detail: /^by oidc/ }]);
      const secret = ana.cookies.get('svc_sign_in')!;
      t.same(await tablesWith(server.use(Database), secret), []);
    });

    t.test('roles follow the claims at each sign-in', async (t) => {
      const ana = world.person();
      const as = async (...now: string[]) => {
        groups.set('ana', now);
        await ana.signIn('ana');
        return ana.roles();
      };
      t.same(await as('web-leads', 'web-team'), { acme: 'member', 'acme/web': 'admin' }, 'the highest');
      t.same(await as('everything'), { acme: 'member', 'acme/web': 'viewer' });
      t.same(await as('admins'), { acme: 'member', 'acme/web': 'admin' }, 'of all projects');
      t.same(await as('svc-owners'), { acme: 'owner', 'acme/web': 'admin' });
      t.same(await as('web-team'), { acme: 'member', 'acme/web': 'member' });
      groups.set('ana', ['lost']);
      const refused = await world.person().signIn('ana');
      t.equal(refused.status, 403);
      t.match(refused.text, /You have no role here/);
      t.equal(
        (await ana.go('/api/v1/orgs/acme/projects/web')).status,
        404,
        'the session that she has may nothing either',
      );
      t.match(await world.audited('session.refused'), [{ subject: 'ana-at-the-provider', detail: /no role/ }]);
    });

    t.test('a person without a role gets in to answer an invitation', async (t) => {
      const member = '/api/v1/orgs/acme/members/ana-at-the-provider';
      t.equal((await server.call('owner', `PUT ${member}`, { role: 'member' })).status, 202);
      const ana = world.person();
      t.equal((await ana.signIn('ana')).status, 303);
      await ana.go('/api/v1/session');
      t.same(await ana.roles(), {});
      const [{ id }] = (await ana.go('/api/v1/invitations')).json.invitations;
      t.equal((await ana.go(`/api/v1/invitations/${id}/accept`, { method: 'POST' })).status, 200);
      t.same(await ana.roles(), { acme: 'member' });
      t.equal((await ana.signIn('ana')).status, 303, 'the claims take away only what they gave');
      t.same(await ana.roles(), { acme: 'member' });
      t.equal((await server.call('owner', `DELETE ${member}`)).status, 204);
      t.equal((await ana.signIn('ana')).status, 403);
    });

    t.test('an owner whom the claims name no more stays while nobody else is one, and no longer', async (t) => {
      groups.set('gus', ['svc-owners', 'web-team']);
      const gus = world.person();
      await gus.signIn('gus');
      await gus.go('/api/v1/session');
      const listed = (await gus.go('/api/v1/orgs/acme/members')).json.members as { user: string; role: string }[];
      const others = listed.filter(({ user, role }) => role === 'owner' && !user.startsWith('gus'));
      const make = async (role: string) => {
        for (const { user } of others) {
          const init = {
            method: 'PUT',
            body: JSON.stringify({ role }),
            headers: { 'content-type': 'application/json' },
          };
          t.equal((await gus.go(`/api/v1/orgs/acme/members/${user}`, init)).status, 200, user);
        }
      };
      await make('member');
      groups.set('gus', ['web-team']);
      await gus.signIn('gus');
      await gus.go('/api/v1/session');
      t.match(await gus.roles(), { acme: 'owner' }, 'an org keeps an owner');
      await make('owner');
      await gus.signIn('gus');
      t.match(await gus.roles(), { acme: 'member' });
    });

    t.test('who has no role any more and does not come is forgotten in time, and a new user afterwards', async (t) => {
      const database = server.use(Database);
      const rows = async () =>
        (await database.read<{ user_name: string }>('SELECT user_name FROM oidc_people ORDER BY user_name')).map(
          ({ user_name }) => user_name.split('-')[0],
        );
      const prune = async (before: number) => {
        const people = server.use.all(Prunables).find(({ name }) => name === 'people')!;
        for await (const _ of people.prune(before, 10));
      };
      groups.set('dora', ['web-team']);
      await world.person().signIn('dora');
      await prune(database.now() + 60_000);
      t.ok((await rows()).includes('dora'), 'a member stays, however long they are away');
      groups.set('dora', []);
      t.equal((await world.person().signIn('dora')).status, 403);
      await prune(database.now() - 60_000);
      t.ok((await rows()).includes('dora'), 'they came lately');
      const before = await rows();
      await prune(database.now() + 60_000);
      const after = await rows();
      t.notOk(after.includes('dora'));
      t.ok(after.includes('gus'));
      t.ok(after.length < before.length);
      groups.set('dora', ['web-team']);
      const dora = world.person();
      t.equal((await dora.signIn('dora')).status, 303);
      const { user } = (await dora.go('/api/v1/session')).json;
      t.match(user, /^dora-at-the-provider./, 'nobody gets into the place of the old user');
      groups.set('dora', []);
    });

    t.test('what was given by hand stays', async (t) => {
      groups.set('ben', ['web-team']);
      const ben = world.person();
      await ben.signIn('ben');
      await server.call('owner', 'PUT /api/v1/orgs/acme/projects/web/members/ben-at-the-provider', { role: 'admin' });
      t.same(await ben.roles(), { acme: 'member', 'acme/web': 'admin' });
      await ben.signIn('ben');
      t.same(await ben.roles(), { acme: 'member', 'acme/web': 'admin' });
      groups.set('ben', []);
      t.equal((await ben.signIn('ben')).status, 303, 'it is a role');
      t.same(await ben.roles(), { acme: 'member', 'acme/web': 'admin' });
    });

    t.test('a member who is removed may nothing at once', async (t) => {
      groups.set('cleo', ['web-leads']);
      const cleo = world.person();
      await cleo.signIn('cleo');
      await cleo.go('/api/v1/session');
      const put = { method: 'PUT', body: '{"role":"viewer"}', headers: { 'content-type': 'application/json' } };
      const write = () => cleo.go('/api/v1/orgs/acme/projects/web/members/nobody', put);
      t.equal((await write()).status, 201);
      await server.call('owner', 'DELETE /api/v1/orgs/acme/members/cleo-at-the-provider');
      t.equal((await write()).status, 404);
      t.same(await cleo.roles(), {});
      const csrf = cleo.csrf;
      cleo.csrf = 'wrong';
      t.match((await cleo.go('/api/v1/session', { method: 'DELETE' })).json, { code: 'csrf_failed' });
      cleo.csrf = csrf;
      t.equal((await cleo.go('/api/v1/session', { method: 'DELETE' })).status, 204);
    });

    t.test('nobody gets into the place of a user of the same name', async (t) => {
      groups.set('dora', ['web-team']);
      await server.call('owner', 'PUT /api/v1/orgs/acme/members/dora-at-the-provider', { role: 'owner' });
      const dora = world.person();
      await dora.signIn('dora');
      t.match((await dora.go('/api/v1/session')).json, { user: 'dora-at-the-provider-2' });
      t.same(await dora.roles(), { acme: 'member', 'acme/web': 'member' });
    });

    t.test('somebody without a mapped role is told so, and is nobody here', async (t) => {
      const { status, text, headers } = await world.person().signIn('eve');
      t.equal(status, 403);
      t.match(text, /SVC_OIDC_ROLES/);
      t.notMatch(headers.get('set-cookie') ?? '', /svc_session/);
      t.match((await world.audited('session.refused')).at(-1), { subject: 'eve at the provider', principal_name: '' });
      t.equal((await server.call('owner', 'GET /api/v1/orgs/acme/members/eve-at-the-provider')).status, 404);
    });

    t.test('an answer fits one browser, once, and for a while', async (t) => {
      groups.set('fred', ['web-team']);
      const fred = world.person();
      const back = await fred.leave('fred');
      const refused = async (path: string, says: RegExp, wanted: number, by = world.person()) => {
        const { status, text, headers } = await by.go(path);
        t.equal(status, wanted, says.source);
        t.match(text, says);
        t.notMatch(headers.get('set-cookie') ?? '', /svc_session/);
      };
      await refused(back, /another browser/, 403);
      const other = world.person();
      await other.leave('mallory');
      await refused(back, /another browser/, 403, other);
      const params = new URLSearchParams(back.split('?')[1]);
      const changed = (name: string, value: string) => {
        const next = new URLSearchParams(params);
        next.set(name, value);
        return `/session/callback?${next}`;
      };
      const [note = '', mark] = params.get('state')!.split('.');
      const open = JSON.parse(Buffer.from(note, 'base64url').toString()) as unknown[];
      const elsewhere = Buffer.from(JSON.stringify([...open.slice(0, 2), '//evil.example'])).toString('base64url');
      await refused(changed('state', `${elsewhere}.${mark}`), /another browser/, 403, fred);
      await refused('/session/callback', /another browser/, 403, fred);
      await refused(changed('iss', 'https://evil.example'), /did not identify you/, 424, fred);
      await refused(changed('code', 'wrong'), /invalid_grant/, 424, fred);
      await refused(changed('error', 'access_denied'), /did not sign you in/, 403, fred);
      t.equal((await fred.go(back, { method: 'HEAD' })).status, 200, 'a program that looks ahead uses up nothing');
      t.equal((await fred.go(back)).status, 303);
      await refused(back, /invalid_grant/, 424, fred);
      const late = await fred.leave('fred');
      server.clock.advance(11 * 60_000);
      if (store === 'sqlite') await refused(late, /took too long/, 400, fred);
    });

    t.test('the way on is one of this service', async (t) => {
      groups.set('gina', ['web-team']);
      for (const to of ['//evil.example', '/\\evil.example', 'https://evil.example', '/api/v1/whoami', '/a%0d%0ab'])
        t.match(
          (await world.person().signIn('gina', `/session/start?to=${encodeURIComponent(to)}`)).location,
          /^http:\/\/127[\d.]+:\d+\/(a%0d%0ab)?$/,
          to,
        );
    });
  });
