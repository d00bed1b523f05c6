import t, { type Test } from 'tap';
import { Database, Ids, Sealer } from '../../kernel/contracts/index.ts';
import { engines, startHouse } from '../access/house.testsuite.ts';
import vault from '../vault/plugin.json' with { type: 'json' };
import { Maskers, RunMasks } from './contract.ts';
import manifest from './plugin.json' with { type: 'json' };
import { SealedRunMasks } from './service/run-masks.ts';

const all = await engines();
t.teardown(async () => {
  for (const engine of all) await engine.stop();
});

const SCOPE = { org_id: 'org_a', project_id: 'prj_a' };
const run = (run_id: string) => ({ ...SCOPE, run_id });

for (const engine of all)
  t.test(`what runs were given, on ${engine.name}`, async (t) => {
    const open = async (t: Test) => {
      const { url, drop } = await engine.fresh();
      const env = { SVC_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') };
      const house = await startHouse({ database_url: url, env, serves: false, plugins: [vault, manifest] });
      t.teardown(async () => {
        await house.stop();
        await drop();
      });
      /** As another server on the same database has it. */
      const other = () =>
        new SealedRunMasks({
          database: house.use(Database),
          sealer: house.use(Sealer),
          ids: house.use(Ids),
          maskers: house.use(Maskers),
        });
      return { database: house.use(Database), masks: house.use(RunMasks), other };
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
      const many = await masks.ofMany(SCOPE, ['run_1', 'run_2', 'run_3']);
      t.same(
        [...many].map(([id, masker]) => [id, masker.text('second-value')]),
        [
          ['run_1', '***'],
          ['run_2', 'second-value'],
          ['run_3', 'second-value'],
        ],
      );
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
