import type { NodeRecord, StepRecord } from '../../../../cli/generated/api.ts';
import { isNode, keyOf, type Row, rowOfStep } from './rows.ts';

/** Bars of the leases that locks have acquired. */
export const leasesOf = (steps: readonly (StepRecord | NodeRecord)[], now: number, over: boolean): Row[] =>
  steps.flatMap((step, index) => (isNode(step) ? [] : leaseOf(step, steps[index + 1], now, over)));

/** Until its command is over, or without one until the run is. */
function leaseOf(lock: StepRecord, next: StepRecord | NodeRecord | undefined, now: number, over: boolean): Row[] {
  if (lock.kind !== 'lock' || lock.exit_code !== 0 || !lock.recorded_at) return [];
  const command = next && !isNode(next) && next.kind === 'lock-step' && next.activity_id === lock.activity_id;
  const of = keyOf(lock);
  const to = command ? rowOfStep(next, now).to : now;
  const open = command ? next.status !== 'recorded' : !over;
  const from = Date.parse(lock.recorded_at);
  const depth = lock.activity === '' ? 0 : 1;
  return [{ key: `${of} lease`, of, label: lock.name, kind: 'lease', from, to, open, state: 'quiet', depth }];
}
