import { randomBytes } from 'node:crypto';
import t from 'tap';
import type { JournalRecord } from '../../plugins/engine/runs/contract.ts';
import { idempotencyKey } from '../../plugins/execution/replay/contract.ts';
import { openBench } from '../../plugins/execution/scripts/executor/testing/host.ts';
import { type History, histories, scripts } from './history.ts';
import { Activity, systemClock as clock } from '../kit/index.ts';

const ids = { next: (prefix: string) => `${prefix}_1`, bytes: (count: number) => randomBytes(count) };

/** Plays a history's script once more, on its journal: nothing may be left to do. */
async function replay(history: History, journal: readonly JournalRecord[], in_shell: boolean) {
  const bench = await openBench({ clock, ids, in_shell });
  try {
    const activity = new Activity();
    activity.journal.push(...structuredClone(journal));
    const { filename, source } = history;
    const end = await bench.begin(activity, { filename, source }).result;
    return { end, journal: activity.journal, armed: activity.armed };
  } finally {
    await bench.close();
  }
}

t.test('what earlier versions recorded is replayed as it is', async (t) => {
  const all = await histories();
  for (const { filename } of await scripts())
    t.ok(
      all.some((history) => history.filename === filename),
      `there is a history of ${filename}`,
    );
  for (const history of all)
    for (const in_shell of history.filename.endsWith('.sh') ? [true, false] : [true]) {
      const name = `${history.filename} of ${history.version}${in_shell ? '' : ', by the program'}`;
      const { end, journal, armed } = await replay(history, history.journal, in_shell);
      t.same(end, { end: 'completed', completion: { status: 'succeeded', output: history.output } }, name);
      t.same(journal, history.journal, `${name}: nothing is added`);
      t.equal(armed, undefined);
    }
});

t.test("a history that is not the script's own is told from it", async (t) => {
  for (const history of await histories()) {
    const altered = history.journal.map((record, at) => (at === 2 ? { ...record, name: 'other' } : record));
    const { end } = await replay(history, altered, true);
    t.match(end, { completion: { status: 'failed', code: 'determinism_violation' } }, history.filename);
  }
});

t.test('the key of a step is what it was', async (t) => {
  const run = { run_id: 'run_01JD0000000000000000000000', job: 'act_01JD0000000000000000000000' };
  t.equal(
    idempotencyKey(run, { kind: 'step', name: 'pay', ordinal: 2 }),
    '588b4602719a48b56fe1f9774120b79d0a0699de92adba71a3a10dae2f3ce478',
  );
});
