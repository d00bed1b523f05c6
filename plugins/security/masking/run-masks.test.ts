import t, { type Test } from 'tap';
import { Database, Ids, Sealer } from '../../../kernel/contracts/index.ts';
import { Maskers, RunMasks } from './contract.ts';
import { SealedRunMasks } from './service/run-masks.ts';
import { boot, STORES } from '../../../test/kit/index.ts';

const SCOPE = { org_id: 'org_a', project_id: 'prj_a' };
const run = (run_id: string) => ({ ...SCOPE, run_id });

for (const store of STORES)
  t.test(`what runs were given, on ${store}`, async (t) => {
    const open = async (t: Test) => {
      const server = await boot({ store, access: 'empty', plugins: ['masking'], quiet: true });
      t.teardown(() => server.close());
      /** As another server on the same database has it. */
      const other = () =>
        new SealedRunMasks({
          database: server.use(Database),
          sealer: server.use(Sealer),
          ids: server.use(Ids),
          maskers: server.use(Maskers),
        });
      return { database: server.use(Database), masks: server.use(RunMasks), other };
    };

    t.test('adds up over claims and servers', async (t) => {
      const { masks, other } = await open(t);
      t.same(await masks.remember(run('run_1'), ['first-value', 'abc', 'first-value']), ['first-value']);
      const second = other();
      t.equal((await second.of(run('run_1'))).text('a first-value'), 'a ***');
      t.same((await second.remember(run('run_1'), ['second-value'])).toSorted(), ['first-value', 'second-value']);
      t.equal((await masks.of(run('run_1'))).text('first-value second-value'), '*** ***', 'at once on the first');
      t.ok((await masks.of(run('run_2'))).idle);
      t.same(await masks.remember(run('run_2'), []), []);
      const items = ['run_2', 'run_1', 'run_3', 'run_1'].map((run_id) => ({ run_id }));
      t.same(await masks.maskEach(SCOPE, items, ({ run_id }, masker) => [run_id, masker.text('second-value')]), [
        ['run_2', 'second-value'],
        ['run_1', '***'],
        ['run_3', 'second-value'],
        ['run_1', '***'],
      ]);
    });

    t.test('a run inherits what another was given until then', async (t) => {
      const { database, masks, other } = await open(t);
      await masks.remember(run('run_1'), ['first-value']);
      const inherit = (from: string, ids: string[]) => database.transaction((tx) => masks.inherit(tx, from, ids));
      await masks.remember(run('run_3'), ['own-value']);
      for (let again = 0; again < 2; again += 1) await inherit('run_1', ['run_2', 'run_3']);
      await inherit('run_none', ['run_2']);
      const second = other();
      t.equal((await second.of(run('run_2'))).text('first-value own-value'), '*** own-value');
      t.equal((await second.of(run('run_3'))).text('first-value own-value'), '*** ***');
      t.same(await second.remember(run('run_2'), []), ['first-value'], 'its agents get to know them');
      await masks.remember(run('run_1'), ['later-value']);
      t.equal((await second.of(run('run_2'))).text('later-value'), 'later-value', 'what came later did not go along');
      t.equal((await database.read('SELECT run_id FROM masking_runs')).length, 5);
    });

    t.test('a value that expires is masked until then, and leaves nothing behind', async (t) => {
      const { database, masks, other } = await open(t);
      const HOUR_MS = 3_600_000;
      const expired = database.now() - 2 * HOUR_MS;
      const inherit = (from: string, ids: string[]) => database.transaction((tx) => masks.inherit(tx, from, ids));
      const setCount = async () => (await database.read('SELECT set_id FROM masking_sets')).length;
      await masks.remember(run('run_1'), ['first-value']);
      await masks.rememberUntil(run('run_1'), ['short-lived'], database.now() + HOUR_MS);
      const second = other();
      t.equal((await second.of(run('run_1'))).text('first-value short-lived'), '*** ***', 'from any server');
      t.same((await second.remember(run('run_1'), [])).toSorted(), ['first-value', 'short-lived']);
      await inherit('run_1', ['run_2']);
      t.equal((await second.of(run('run_2'))).text('first-value short-lived'), '*** ***');

      await database.transaction((tx) =>
        tx.write('UPDATE masking_runs SET expires_at = ? WHERE expires_at IS NOT NULL', [expired]),
      );
      t.equal((await second.of(run('run_1'))).text('first-value short-lived'), '*** short-lived');
      await inherit('run_1', ['run_3']);
      t.equal((await second.of(run('run_3'))).text('first-value short-lived'), '*** short-lived');
      t.equal(await setCount(), 2);
      await masks.rememberUntil(run('run_1'), ['another-one'], expired);
      t.equal(await setCount(), 2, 'the next value takes the place of the one that has expired');
      t.equal((await database.read("SELECT set_id FROM masking_runs WHERE run_id = 'run_2'")).length, 1);
      await masks.forget(['run_1', 'run_2', 'run_3']);
      t.equal(await setCount(), 1);
      t.same(await database.read('SELECT run_id FROM masking_runs'), []);
    });

    t.test('costs a run one row, holds nothing readable, and opens nowhere else', async (t) => {
      const { database, masks, other } = await open(t);
      for (let n = 0; n < 20; n += 1)
        await masks.remember(run(`run_${n}`), ['canary-value', `other ${'x'.repeat(50)}`]);
      const sets = await database.read<{ sealed: Buffer }>('SELECT sealed FROM masking_sets');
      t.equal(sets.length, 1);
      t.notOk(sets[0]!.sealed.includes('canary'));
      t.equal((await database.read('SELECT run_id FROM masking_runs')).length, 20);
      const moved = { org_id: 'org_a', project_id: 'prj_b', run_id: 'run_1' };
      await t.rejects(other().of(moved), { code: 'sealed_value_unreadable' });
      const flipped = Buffer.from(sets[0]!.sealed);
      flipped[30]! ^= 1;
      await database.write('UPDATE masking_sets SET sealed = ?', [flipped]);
      await t.rejects(other().of(run('run_1')), { code: 'sealed_value_unreadable' });
    });

    t.test('gives out nothing that cannot be masked', async (t) => {
      const { database, masks } = await open(t);
      const large = Array.from({ length: 24 }, (_, n) => String(n).padEnd(48 * 1024, 'x'));
      await t.rejects(masks.remember(run('run_1'), large), { code: 'secrets_too_large', status: 422 });
      t.same(await database.read('SELECT set_id FROM masking_sets'), []);
    });

    t.test('two servers that claim at once both count', async (t) => {
      const { masks, other } = await open(t);
      const servers = [masks, other(), other(), other()];
      await Promise.all(servers.map((server, n) => server.remember(run('run_1'), [`value-${n}`])));
      t.equal((await masks.of(run('run_1'))).text('value-0 value-1 value-2 value-3'), '*** *** *** ***');
    });
  });
