import type { NodeRecord, StepRecord } from '../../../../../cli/generated/api.ts';
import { describeProgress } from '../../../run-views/explain/in-flight.ts';
import { useNow } from '../kit/clock.ts';
import { visible } from '../kit/text.ts';

/** What an agent carries out of a call: the call itself, or the command of the child that it asked for. */
export const runningOf = (step: StepRecord): StepRecord['running'] => step.running ?? step.child?.running;

/** `running for 12s on builder-1, attempt 2 of 3`; it counts by itself. */
export function RunningFor({ of }: { of: NonNullable<StepRecord['running']> }) {
  return <span className="quiet">{visible(describeProgress(of, useNow()))}</span>;
}

/** The same of what the work of a node does now: `compile#0 running for …`. */
export function RunningIn({ activity }: { activity: NodeRecord['activity'] }) {
  const now = useNow();
  const running = activity?.running;
  if (!running) return null;
  return <span className="quiet">{visible(`${running.site} ${describeProgress(running, now)}`)}</span>;
}
