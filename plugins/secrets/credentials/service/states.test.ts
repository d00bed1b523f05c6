import t from 'tap';
import { Database } from '../../../../kernel/contracts/index.ts';
import { boot, STORES, testPlugin } from '../../../../test/kit/index.ts';
import {
  CredentialNames,
  Credentials,
  CredentialStates,
  type CredentialRequest,
  type SourceState,
  type CredentialSource,
  CredentialSources,
} from '../contract.ts';

const PLUGINS = ['http', 'access', 'audit', 'credentials', 'scripts'];

/** A side with accounts in memory. */
function accounts() {
  const held = new Map<string, SourceState>();
  let asked = 0;
  const holder: CredentialSource = {
    source: 'account',
    async states(_on, _scope, names) {
      asked += 1;
      return new Map(names.flatMap((name) => (held.has(name) ? [[name, held.get(name)!] as const] : [])));
    },
    fields: async (_scope, name) =>
      held.has(name) ? { fields: { kind: 'bearer', token: `token of ${name}` } } : undefined,
  };
  return { held, holder, asked: () => asked };
}

for (const store of STORES)
  t.test(store, async (t) => {
    const { held, holder, asked } = accounts();
    const server = await boot({
      store,
      access: 'project',
      plugins: [
        ...PLUGINS,
        testPlugin('accounts-double', (plugin) => plugin.contribute(CredentialSources, () => holder)),
      ],
    });
    t.teardown(() => server.close());
    const { scope } = server;
    const put = (name: string, body: object) =>
      server.call('admin', `PUT ${server.scoped}/credentials/${name}`, body).then(({ status }) => status);
    const states = (...wishes: CredentialRequest[]) =>
      server.use(CredentialStates).states(server.use(Database), scope, wishes);
    const resolve = (wish: CredentialRequest) => server.use(Credentials).resolve(scope, wish);

    t.equal(await put('bot', { kind: 'bearer', token: 'abcd' }), 201);
    t.equal(await put('pair', { kind: 'basic', username: 'ci', password: 'abcd' }), 201);
    held.set('mail', { state: 'ok', kind: 'bearer' });
    held.set('gone', { state: 'needs_reconnect' });
    // No request can make this: the names keep both sides apart. Here a row stands for a fault of the store.
    t.equal(await put('both', { kind: 'bearer', token: 'abcd' }), 201);
    held.set('both', { state: 'ok', kind: 'bearer' });

    t.test('@REQ-012 the states of many wishes come in their order, with one question for each side', async (t) => {
      t.same(
        await states(
          { name: 'bot' },
          { name: 'absent' },
          { name: 'pair', kinds: ['bearer', 'api_key'] },
          { name: 'pair', kinds: ['basic'] },
          { name: 'mail', kinds: ['bearer'] },
          { name: 'mail', kinds: ['url_token'] },
          { name: 'gone', kinds: ['url_token'] },
          { name: 'both' },
          { name: '../bot' },
          { name: 'x'.repeat(64) },
        ),
        [
          { state: 'ok', kind: 'bearer' },
          { state: 'missing' },
          { state: 'wrong_kind', stored_kind: 'basic' },
          { state: 'ok', kind: 'basic' },
          { state: 'ok', kind: 'bearer' },
          { state: 'wrong_kind', stored_kind: 'bearer' },
          { state: 'needs_reconnect' },
          { state: 'conflict' },
          { state: 'missing' },
          { state: 'missing' },
        ],
      );
      t.equal(asked(), 1);
      t.same(await states(), []);
      const within = await server
        .use(Database)
        .transaction((tx) => server.use(CredentialStates).states(tx, scope, [{ name: 'bot' }]));
      t.same(within, [{ state: 'ok', kind: 'bearer' }]);
    });

    t.test('@REQ-013 only what is ok resolves, so that a name that both sides hold resolves to neither', async (t) => {
      t.same(await resolve({ name: 'mail', kinds: ['bearer'] }), { kind: 'bearer', token: 'token of mail' });
      t.equal((await server.use(Credentials).raw(scope, { name: 'mail' })).value, 'token of mail');
      const refusals: [CredentialRequest, string, RegExp][] = [
        [{ name: 'absent' }, 'credential_missing', /absent/],
        [{ name: 'pair', kinds: ['bearer', 'api_key'] }, 'credential_wrong_kind', /basic.*bearer, api_key/],
        [{ name: 'both' }, 'credential_conflict', /both/],
        [{ name: 'gone' }, 'account_needs_reconnect', /gone/],
      ];
      for (const [wish, code, message] of refusals) await t.rejects(resolve(wish), { code, message });
    });

    t.test('a submit is refused with the state of the first name that cannot be used', async (t) => {
      const submit = (credentials: object) =>
        server.call('member', `POST ${server.scoped}/runs`, { source: 'true', credentials });
      t.match(await submit({ A: 'mail', B: 'gone' }), {
        status: 422,
        json: { code: 'account_needs_reconnect', errors: [{ pointer: '/credentials/B' }] },
      });
      t.match(await submit({ A: 'both', B: 'absent' }), {
        status: 409,
        json: { code: 'credential_conflict', errors: [{ pointer: '/credentials/A' }, { pointer: '/credentials/B' }] },
      });
      t.equal((await submit({ A: 'mail', B: 'pair' })).status, 201);
    });

    t.test('a name whose holder has gone meanwhile is missing', async (t) => {
      const { holder: quick, held: seen } = accounts();
      seen.set('mail', { state: 'ok', kind: 'bearer' });
      const { createResolver } = await import('./resolver.ts');
      const gone = createResolver(server.use(Database), [{ ...quick, fields: async () => undefined }]);
      await t.rejects(gone.resolve(scope, { name: 'mail' }), { code: 'credential_missing' });
      const changed = createResolver(server.use(Database), [
        { ...quick, fields: async () => ({ fields: { kind: 'url_token', token: 'abcd' } }) },
      ]);
      await t.rejects(changed.resolve(scope, { name: 'mail', kinds: ['bearer'] }), { code: 'credential_wrong_kind' });
    });

    t.same(await server.use(CredentialNames).findSources(server.use(Database), scope, ['gone']), new Map());
  });
