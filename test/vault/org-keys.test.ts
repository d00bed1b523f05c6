import { randomBytes } from 'node:crypto';
import t from 'tap';
import { Database, type Scope } from '../../kernel/contracts/index.ts';
import { Scopes } from '../../plugins/security/access/contract.ts';
import { Credentials } from '../../plugins/secrets/credentials/contract.ts';
import { masterKey, parseMasterKey, unwrapOrgKey } from '../../plugins/security/vault/domain/master-key.ts';
import { boot, openTestDatabase, STORES, tablesWith, type TestServer } from '../kit/index.ts';

const SECRET = 'canary-of-a-secret-71c4';
const TOKEN = 'canary-of-a-credential-90ab';

/** Two orgs, each with the project `web` and an owner who is a caller of the test server. */
const ORGS = [
  { org: 'acme', owner: 'owner' },
  { org: 'rival', owner: 'rival' },
] as const;

const scoped = (org: string) => `/api/v1/orgs/${org}/projects/web`;

const scopeOf = async (server: TestServer, org: string): Promise<Scope> =>
  (await server.use(Scopes).findProject(org, 'web'))!;

interface OrgKeyRow {
  org_id: string;
  version: number;
  wrapped: Buffer;
}

const readKeys = (server: TestServer) =>
  server.use(Database).read<OrgKeyRow>('SELECT org_id, version, wrapped FROM vault_org_keys');

for (const store of STORES)
  t.test(store, async (t) => {
    const database = await openTestDatabase(store);
    t.teardown(() => database.drop());
    const before = await boot({ database, access: 'project' });
    t.teardown(() => before.close());
    for (const { org, owner } of ORGS) {
      t.equal((await before.call(owner, `PUT ${scoped(org)}/secrets/KEY`, { value: SECRET })).status, 201);
      const credential = { kind: 'bearer', token: TOKEN };
      t.equal((await before.call(owner, `PUT ${scoped(org)}/credentials/bot-of-ours`, credential)).status, 201);
    }

    await t.test(
      '@CRED-004 a queued run carries the name of its credential, and no table holds the value',
      async (t) => {
        const run = { source: 'true\n', credentials: { TOKEN: 'bot-of-ours' }, requires: ['nobody-has-this'] };
        t.equal((await before.call('owner', `POST ${before.scoped}/runs`, run)).status, 201);
        t.same(await tablesWith(before.use(Database), TOKEN), []);
        t.same(await tablesWith(before.use(Database), SECRET), []);
        const holding = await tablesWith(before.use(Database), 'bot-of-ours');
        t.ok(
          holding.some((table) => table.startsWith('runs_')),
          `the name is in ${holding.join(', ')}`,
        );
      },
    );

    await t.test('@AUTH-035 each org has a key of its own', async (t) => {
      const keys = await readKeys(before);
      for (const { org } of ORGS) {
        const { org_id } = await scopeOf(before, org);
        t.equal(keys.filter((key) => key.org_id === org_id).length, 1, org);
      }
      const wrapped = keys.map((key) => Buffer.from(key.wrapped).toString('hex'));
      t.equal(new Set(wrapped).size, keys.length);
    });

    await t.test('@AUTH-038 the master key opens the stored org keys, and another one does not', async (t) => {
      const keys = await readKeys(before);
      t.ok(keys.length > 0);
      const master = masterKey(parseMasterKey(database.master_key)!);
      const stranger = masterKey(randomBytes(32));
      for (const { org_id, version, wrapped } of keys) {
        t.equal(unwrapOrgKey(master, org_id, Number(version), Buffer.from(wrapped))?.length, 32);
        t.equal(unwrapOrgKey(stranger, org_id, Number(version), Buffer.from(wrapped)), undefined);
      }
    });

    await t.test(
      '@AUTH-036 @AUTH-037 @CRED-022 who loses the key of an org loses the values of that org only',
      async (t) => {
        const { org_id } = await scopeOf(before, 'acme');
        await before.use(Database).write('DELETE FROM vault_org_keys WHERE org_id = ?', [org_id]);
        await before.close();
        const after = await boot({ database, access: 'project' });
        t.teardown(() => after.close());
        const secret = (caller: string, org: string) => after.call(caller, `GET ${scoped(org)}/secrets/KEY`);
        const credential = async (org: string) =>
          after.use(Credentials).resolve(await scopeOf(after, org), { name: 'bot-of-ours' });
        t.match(await secret('owner', 'acme'), { status: 500, json: { code: 'sealed_value_unreadable' } });
        await t.rejects(credential('acme'), { code: 'sealed_value_unreadable' });
        t.match(await secret('rival', 'rival'), { status: 200, json: { value: SECRET } });
        t.match(await credential('rival'), { kind: 'bearer', token: TOKEN });
      },
    );
  });
