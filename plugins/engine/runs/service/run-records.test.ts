import t from 'tap';
import { Database, Sealer } from '../../../../kernel/contracts/index.ts';
import { RunMasks } from '../../../security/masking/contract.ts';
import { SCOPE, STORES, withEngine } from '../../../../test/kit/index.ts';
import { JobEnvironments, RunEngine, RunStore } from '../contract.ts';
import { createRunRecords } from './run-records.ts';

const sleep = (position: number, timeout_ms: number) => ({
  ...{ position, kind: 'sleep', name: '1h', ordinal: 0, digest: '', args: null, started_at: 1_700_000_000_000 },
  timeout_ms,
});

for (const store of STORES) {
  t.test(`${store}: a run that goes on while it is read is not shown as one that waits for nothing`, (t) =>
    withEngine({ store }, async ({ use, submit, claim }) => {
      const engine = use(RunEngine);
      const { run_id } = await engine.submit(submit());
      await use(RunStore).park(await claim(), sleep(0, 3_600_000));
      const database = use(Database);
      let reads = 0;
      const on: Pick<Database, 'read' | 'sql' | 'now'> = {
        sql: database.sql,
        now: () => database.now(),
        async read(sql, params) {
          if (sql.includes('FROM runs_waits') && (reads += 1) === 1)
            await use(RunStore).cancelRun({ ...SCOPE, run_id, reason: 'enough' });
          return database.read(sql, params);
        },
      };
      const records = createRunRecords({
        ...{ on, sealer: use(Sealer), masks: use(RunMasks), under_way: { of: async () => [] } },
        lease_ms: 1000,
      });
      t.match(await records.read(SCOPE, run_id), { status: 'cancelled', reason: 'enough' });
      t.equal(reads, 1);
    }),
  );

  t.test(`${store}: the environment of a job has the env of its submit`, (t) =>
    withEngine({ store }, async ({ use, submit, claim }) => {
      await use(RunEngine).submit(submit({ env: { A: '1', b: 'zwei' } }));
      t.same(await use(JobEnvironments).environment(await claim()), {
        below: [],
        workflow: { A: '1', b: 'zwei' },
        above: [],
        masks: [],
      });
    }),
  );
}
