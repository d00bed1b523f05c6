import t from 'tap';
import type { Run } from '../../runs/contract.ts';
import { runFingerprint } from './run-record.ts';

const run = (over: Partial<Run>): Run =>
  ({ run_id: 'run_1', status: 'running', annotations: [], tags: [], ...over }) as unknown as Run;

t.test('what is kept of a run is short, and changes with what lists show', async (t) => {
  const note = 'x'.repeat(256 * 1024);
  const all = [
    run({}),
    run({ status: 'failed' }),
    run({ annotations: [note] }),
    run({ annotations: [note, note] }),
    run({ annotations: [`${note}y`] }),
    run({ finished_at: '2026-11-23T00:00:00.000Z' }),
  ].map(runFingerprint);
  t.equal(new Set(all).size, all.length);
  t.ok(all.every((text) => text.length < 100));
  t.equal(
    runFingerprint(run({ annotations: [note], output: { any: 1 } })),
    runFingerprint(run({ annotations: [note] })),
  );
});
