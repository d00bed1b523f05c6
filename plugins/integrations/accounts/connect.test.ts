import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { STORES, tablesWith } from '../../../test/kit/index.ts';
import { Credentials, CredentialStates } from '../../secrets/credentials/contract.ts';
import { MAX_CONSENTS } from './service/consents.ts';
import { openWorld } from './testing/world.ts';

for (const store of STORES)
  t.test(store, async (t) => {
    const world = await openWorld(t, store);
    const { far, server, call } = world;
    const resolve = (name: string) => server.use(Credentials).resolve(server.scope, { name });

    t.test('a person connects an account in a browser', async (t) => {
      const page = await world.connect('mail');
      t.equal(page.status, 200, page.text);
      t.match(page.text, /The account is connected/);
      t.match(page.text, /Requested, but not granted: write/);
      t.match(page.headers.get('content-security-policy'), /default-src 'none'/);
      const view = await world.account('mail');
      t.match(view, {
        name: 'mail',
        provider: 'far',
        account: { id: '7', label: 'ana@far' },
        status: 'active',
        scopes: ['read'],
        scopes_missing: ['write'],
        renewal: 'automatic',
      });
      t.match(view.connect_url, /\/connections#mail$/);
      t.match(await resolve('mail'), { kind: 'bearer', token: /^at-/ });
      const { token } = (await resolve('mail')) as { token: string };
      t.notMatch(JSON.stringify(view), token);
      t.same(await tablesWith(server.use(Database), token), [], 'the token is stored nowhere as it is');
      t.match((await call('admin', 'GET {scoped}/audit')).json.entries[0], {
        action: 'account.connect',
        subject: 'mail',
      });
      t.equal((await call('viewer', 'GET {scoped}/accounts')).status, 403);
      t.match((await call('member', 'GET {scoped}/accounts')).json.accounts, [{ name: 'mail' }]);
      t.same((await call('member', 'GET {scoped}/accounts/mail/uses')).json.uses, []);
    });

    t.test('a name belongs to a credential or to an account', async (t) => {
      const bearer = { kind: 'bearer', token: 'abcd' };
      t.match((await call('admin', 'PUT {scoped}/credentials/mail', bearer)).json, { code: 'name_conflict' });
      t.equal((await call('admin', 'PUT {scoped}/credentials/bot', bearer)).status, 201);
      t.match((await world.begin('bot')).json, { code: 'name_conflict' });
      const late = await world.begin('later');
      t.equal((await call('admin', 'PUT {scoped}/credentials/later', bearer)).status, 201);
      const page = await world.callback(far.consent(late.json.authorize_url));
      t.equal(page.status, 409);
      t.match(page.text, /already/);
    });

    t.test('a person starts a limited number of connections', async (t) => {
      const database = server.use(Database);
      const stored = async () =>
        Number((await database.read<{ n: number }>('SELECT COUNT(*) AS n FROM accounts_consents'))[0]!.n);
      await database.write('DELETE FROM accounts_consents');
      for (let n = 0; n < MAX_CONSENTS; n++) {
        // Neither a new session nor an answer makes room for more.
        if (n % 40 === 39) await world.signIn('admin');
        const begun = await world.begin(`many-${n}`);
        t.equal(begun.status, 200);
        if (n === 0)
          await world.callback(
            new URLSearchParams({ ...Object.fromEntries(far.consent(begun.json.authorize_url)), code: 'x' }),
          );
      }
      const refused = await world.begin('one-more');
      t.match(refused, {
        status: 429,
        json: { code: 'connecting_too_often', detail: /limit of 100 attempts to connect an account in 70 minutes/ },
      });
      t.ok(Number(refused.headers.get('retry-after')) > 3600);
      t.equal(await stored(), MAX_CONSENTS);
      t.equal((await world.begin('mine', { by: 'owner' })).status, 200, 'others are not concerned');
      await database.write('UPDATE accounts_consents SET expires_at = 1');
      t.equal((await world.begin('one-more')).status, 200);
      t.equal(await stored(), 1);
    });

    t.test('only a console session connects, and only an admin', async (t) => {
      const line = 'POST {scoped}/accounts/new/connect';
      t.match((await call('admin', line, { provider: 'far' })).json, { code: 'console_session_required' });
      const cookie = await world.signIn('owner');
      t.match((await call('admin', line, { provider: 'far' }, { cookie })).json, { code: 'console_session_required' });
      const origin = 'https://elsewhere.example';
      const mine = await world.signIn('admin');
      t.match((await call('admin', line, { provider: 'far' }, { cookie: mine, origin })).json, {
        code: 'console_session_required',
      });
      const members = await world.signIn('member');
      t.equal((await call('member', line, { provider: 'far' }, { cookie: members })).status, 403);
      t.match((await world.begin('new', { provider: 'nobody' })).json, { code: 'connecting_not_offered' });
      t.equal((await world.begin('a.b')).status, 400);
    });

    t.test('an answer is taken once, by the browser that began it, from the provider that was asked', async (t) => {
      const begin = async () => far.consent((await world.begin('second')).json.authorize_url);
      const refused = async (query: URLSearchParams, status: number, says: RegExp, by?: string) => {
        const page = await world.callback(query, by);
        t.equal(page.status, status, page.text);
        t.match(page.text, says);
        t.notMatch(page.text, /<script|at-|rt-/);
      };
      await refused(new URLSearchParams({ code: 'x' }), 400, /not a response to a request/);
      await refused(new URLSearchParams({ code: 'x', state: 'x'.repeat(43) }), 400, /not recognized/);
      const query = await begin();
      await world.signIn('owner');
      await refused(query, 403, /another browser/, 'owner');
      await refused(query, 403, /another browser/, 'nobody');
      const mixed = await begin();
      mixed.set('iss', 'https://evil.example');
      await refused(mixed, 400, /not from far/);
      const denied = new URLSearchParams({ state: (await begin()).get('state')!, error: 'access_denied' });
      await refused(denied, 403, /was denied/);
      const hostile = new URLSearchParams({ state: (await begin()).get('state')!, error: '<script>alert(1)</script>' });
      await refused(hostile, 424, /rejected the request/);
      const injected = await begin();
      injected.set('code', (await begin()).get('code')!);
      await refused(injected, 424, /sent no token/);
      const tokens = new URLSearchParams({ state: (await begin()).get('state')!, access_token: 'at-x' });
      await refused(tokens, 400, /has no code/);
      t.equal((await world.callback(query)).status, 200);
      await refused(query, 400, /already used/);
      const late = await begin();
      await server.use(Database).write('UPDATE accounts_consents SET expires_at = 1 WHERE used_at IS NULL');
      await refused(late, 400, /took too long/);
      const signed_out = await begin();
      await call('admin', 'DELETE /api/v1/session', undefined, { cookie: await world.signIn('admin') });
      await refused(signed_out, 403, /another browser/);
      await world.signIn('admin');
    });

    t.test('whose account it is must be told', async (t) => {
      const ordinary = far.who;
      for (const who of [{}, { id: {} }, { id: null }, { id: 'x'.repeat(2_000_000) }]) {
        far.who = who;
        const page = await world.connect('third');
        t.equal(page.status, 424);
        t.match(page.text, /does not say whose account/);
      }
      far.who = ordinary;
      t.equal((await call('member', 'GET {scoped}/accounts/third')).status, 404);
    });

    t.test('it is connected again only as the same account', async (t) => {
      far.who = { id: 8, login: 'ben@far' };
      const page = await world.connect('mail');
      t.equal(page.status, 409);
      t.match(page.text, /A different account was connected/);
      t.match(await world.account('mail'), { status: 'active', account: { id: '7' } });
      t.match((await world.begin('mail', { provider: 'other' })).json, { code: 'account_mismatch' });
      far.who = { id: '7', login: 'ana@new' };
      t.equal((await world.connect('mail', { by: 'owner' })).status, 200);
      t.match(await world.account('mail'), { status: 'active', account: { id: '7', label: 'ana@new' } });
    });

    t.test('one that is switched off is used no more, until it is connected again', async (t) => {
      t.equal((await call('member', 'POST {scoped}/accounts/mail/disable')).status, 403);
      t.match((await call('admin', 'POST {scoped}/accounts/mail/disable')).json, {
        status: 'disabled',
        reason: /switched off by/,
      });
      await t.rejects(resolve('mail'), {
        code: 'account_needs_reconnect',
        message: /disabled since .*\/connections#mail/,
      });
      const [state] = await server.use(CredentialStates).states(server.use(Database), server.scope, [{ name: 'mail' }]);
      t.match(state, { state: 'needs_reconnect' });
      t.equal((await world.connect('mail')).status, 200);
      t.match(await resolve('mail'), { kind: 'bearer' });
    });

    t.test('removing it ends the grant, and a provider that fails keeps nothing alive', async (t) => {
      t.same((await call('admin', 'DELETE {scoped}/accounts/mail')).json, { ended_at_provider: true, warnings: [] });
      t.match(far.revoked, [/^rt-/, /^at-/]);
      await t.rejects(resolve('mail'), { code: 'credential_missing' });
      t.equal((await call('admin', 'DELETE {scoped}/accounts/mail')).status, 404);
      far.revokes = 500;
      const answer = await call('admin', 'DELETE {scoped}/accounts/second');
      t.match(answer.json, { ended_at_provider: false, warnings: [/may still exist/] });
      t.equal((await call('admin', 'PUT {scoped}/credentials/second', { kind: 'bearer', token: 'abcd' })).status, 201);
    });

    t.test('who leaves takes along what they granted', async (t) => {
      t.equal((await world.connect('team')).status, 200);
      const user = (await call('admin', 'GET /api/v1/whoami')).json.user.name;
      t.equal((await call('owner', `DELETE {scoped}/members/${user}`)).status, 204);
      t.match(await world.account('team'), { status: 'disabled', reason: /left the project/ });
      const { entries } = (await call('owner', 'GET {scoped}/audit')).json;
      t.ok(
        entries.some(
          ({ action, subject }: Record<string, string>) => action === 'account.disabled' && subject === 'team',
        ),
      );
      t.equal((await world.connect('team', { by: 'owner' })).status, 200);
      t.match(await world.account('team'), { status: 'active' });
    });
  });
