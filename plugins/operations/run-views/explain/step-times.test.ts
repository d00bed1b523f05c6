import t from 'tap';
import type { StepView } from './answers.ts';
import { readStepTimes } from './step-times.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 31, 12, 0, second)).toISOString();

t.test('a collected child took as long as the child', async (t) => {
  const call = { kind: 'activity-collect', started_at: at(30), recorded_at: at(31) } as StepView;
  const child = { activity_id: 'act_1', state: 'ended' as const, exit_code: 0, begun_at: at(1), ended_at: at(21) };
  t.same(readStepTimes({ ...call, child }), { from: at(1), to: at(21) });
  t.same(readStepTimes({ ...call, kind: 'activity', child }), { from: at(30), to: at(31) });
  t.same(readStepTimes({ ...call, child: { ...child, ended_at: undefined } }), { from: at(30), to: at(31) });
  t.same(readStepTimes({ ...call, recorded_at: undefined, child }), { from: at(30), to: undefined });
  t.same(readStepTimes(call), { from: at(30), to: at(31) }, 'a server that does not tell');
});
