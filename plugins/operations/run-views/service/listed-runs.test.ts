import t from 'tap';
import { Database } from '../../../../kernel/contracts/index.ts';
import { RunMasks } from '../../../security/masking/contract.ts';
import { SCOPE, STORES, withEngine } from '../../../../test/kit/index.ts';
import { RunEngine, RunReader, RunStore } from '../../../engine/runs/contract.ts';
import { parseRunFilter } from './run-filter.ts';
import { RunLists } from './run-lists.ts';

for (const store of STORES) {
  t.test(`${store}: a list shows the beginning of what a run shows as a whole`, (t) =>
    withEngine({ store }, async ({ use, submit, claim }) => {
      const read = (run_id: string) => use(RunEngine).read(SCOPE, run_id);
      const lists = new RunLists(use(RunReader), use(RunMasks));
      const listed = async () => (await lists.list(SCOPE, parseRunFilter({}, 0))).runs;
      const { run_id: long } = await use(RunEngine).submit(submit());
      const first = await claim();
      const notes = Array.from({ length: 7 }, (_, n) => `${n}${'🎉'.repeat(150)}`);
      for (const [n, note] of notes.entries()) await use(RunStore).annotate(first, n, note);
      await use(RunStore).complete(first, { status: 'succeeded', output: 'x'.repeat(5000) });
      const { run_id: failed } = await use(RunEngine).submit(submit());
      const message = 'm'.repeat(3000);
      await use(RunStore).complete(await claim(), { status: 'failed', code: 'broke', message });
      const { run_id: short } = await use(RunEngine).submit(submit());
      const third = await claim();
      await use(RunStore).annotate(third, 0, 'one');
      await use(RunStore).complete(third, { status: 'succeeded', output: { small: 1 } });

      const [one, two, three] = await listed();
      t.match(one, { run_id: short, output: { small: 1 }, annotations: ['one'] });
      t.notOk('output_omitted' in one!);
      t.equal(two?.error?.message, `${'m'.repeat(1000)}…`);
      t.match(three, { run_id: long, output_omitted: true });
      t.notOk('output' in three!);
      t.equal(three!.annotations.length, 6);
      t.equal(three!.annotations[5], '…');
      t.ok(three!.annotations.every((text) => text.length <= 201 && text.isWellFormed()));

      const sizes = await use(Database).read<{ output_bytes: number; bytes: number }>(
        'SELECT output_bytes, LENGTH(output) AS bytes FROM runs_runs WHERE output IS NOT NULL',
      );
      t.equal(sizes.length, 2);
      t.ok(sizes.every(({ output_bytes, bytes }) => output_bytes === bytes));
      const before = await listed();
      await use(Database).write('UPDATE runs_runs SET output_bytes = NULL');
      t.same(await listed(), before, 'what an older version stored is listed like the rest');

      t.match(await read(long), { output: 'x'.repeat(5000), annotations: notes });
      t.equal((await read(failed)).error?.message, message);
    }),
  );

  t.test(`${store}: a run has its large output and no more notes than can be shown`, (t) =>
    withEngine({ store }, async ({ use, submit, claim }) => {
      const read = (run_id: string) => use(RunEngine).read(SCOPE, run_id);
      const { run_id } = await use(RunEngine).submit(submit());
      const claimed = await claim();
      const output = 'x'.repeat(600_000);
      await use(RunStore).complete(claimed, { status: 'succeeded', output });
      for (let n = 0; n < 6; n++)
        await use(Database).write(
          "INSERT INTO runs_annotations (run_id, activity_id, nth, text, written_at, beginning) VALUES (?, ?, 0, ?, 1, '')",
          [run_id, `act_${n}`, `${n}${'n'.repeat(250_000)}`],
        );
      const [one, other] = await Promise.all([read(run_id), read(run_id)]);
      t.equal(one.output, output);
      t.same(other.output, output);
      t.same(
        one.annotations.map((text) => text.slice(0, 1)),
        ['0', '1', '2', '3', '…'],
        'as many as 1 MiB holds',
      );
    }),
  );
}
