import t from 'tap';
import { Database, Sealer } from '../../../../../kernel/contracts/index.ts';
import { STORES, withEngine } from '../../../../../test/kit/index.ts';
import { RunEngine, RunStore } from '../../contract.ts';
import { outputsApart } from '../../migrations/0032-outputs.ts';
import { readRecordedSteps, readStepSizes } from '../read/steps.ts';
import { readJournal } from '../rows/journal.ts';

const OUTPUTS = ['small', 'l'.repeat(9000), '', 'm'.repeat(5000)];
const START = { activity_id: '', position: -1 };

for (const store of STORES)
  t.test(`${store}: a large output is stored beside its journal, and read with it`, (t) =>
    withEngine({ store }, async (world) => {
      const [database, sealer] = [world.use(Database), world.use(Sealer)];
      await world.use(RunEngine).submit(world.submit());
      const claim = await world.claim();
      for (const [position, output] of OUTPUTS.entries())
        await world.use(RunStore).append(claim, {
          position,
          kind: 'step',
          name: `step${position}`,
          ordinal: 0,
          digest: '',
          exit_code: 0,
          started_at: 1,
          output: Buffer.from(output).toString('base64'),
        });
      const stored = () =>
        database.read<{ in_journal: number; apart: number | null }>(
          `SELECT LENGTH(j.output) AS in_journal, o.bytes AS apart FROM runs_journal j LEFT JOIN runs_outputs o
           ON o.run_id = j.run_id AND o.activity_id = j.activity_id AND o.position = j.position ORDER BY j.position`,
        );
      const same = async () => {
        const journal = await readJournal(database, sealer, claim);
        t.same(
          journal.map(({ output }) => Buffer.from(output, 'base64').toString()),
          OUTPUTS,
        );
        const steps = await readRecordedSteps(database, sealer, claim, START, 10);
        t.same(
          steps.map(({ recorded }) => recorded!.output.toString()),
          OUTPUTS,
        );
        const sizes = await readStepSizes(database, claim.run_id, START, 10);
        t.ok(sizes.every((bytes, n) => bytes >= OUTPUTS[n]!.length && bytes < OUTPUTS[n]!.length + 200));
      };
      const apart = await stored();
      t.same(
        apart.map(({ in_journal }) => in_journal === 0),
        [false, true, false, true],
      );
      await same();

      await database.write(
        `UPDATE runs_journal SET output = (SELECT o.output FROM runs_outputs o WHERE o.run_id = runs_journal.run_id
         AND o.position = runs_journal.position) WHERE LENGTH(output) = 0`,
      );
      await database.write('DELETE FROM runs_outputs');
      await same();

      if (store !== 'sqlite') return;
      for (const statement of outputsApart.sqlite.slice(1)) await database.write(statement);
      t.same(await stored(), apart);
      await same();
    }),
  );

t.test('a journal of large outputs is read a few at a time', (t) =>
  withEngine({}, async (world) => {
    const [database, sealer] = [world.use(Database), world.use(Sealer)];
    await world.use(RunEngine).submit(world.submit());
    const claim = await world.claim();
    const output = Buffer.from('x'.repeat(400_000)).toString('base64');
    const call = { kind: 'step', name: 's', digest: '', exit_code: 0, started_at: 1, output };
    for (let n = 0; n < 20; n++) await world.use(RunStore).append(claim, { ...call, position: n, ordinal: n });
    let most = 0;
    const on: Parameters<typeof readJournal>[0] = {
      async read<Row>(...query: Parameters<typeof database.read>) {
        const rows = await database.read<Row>(...query);
        const cells = rows.flatMap((row) => Object.values(row as object));
        most = Math.max(
          most,
          cells.reduce((sum: number, cell) => sum + (Buffer.isBuffer(cell) ? cell.length : 0), 0),
        );
        return rows;
      },
    };
    const journal = await readJournal(on, sealer, claim);
    t.ok(journal.length === 20 && journal.every((record) => record.output === output));
    t.ok(most > 400_000 && most < 2_000_000, `${most} bytes in one statement`);
  }),
);
