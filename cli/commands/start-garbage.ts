import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import type { Clock } from '../../kernel/boot/index.ts';

const LOOK_MS = 10_000;

type Used = (until?: EventLoopUtilization, since?: EventLoopUtilization) => EventLoopUtilization;

/** Share of the time since the last look in which this process worked. */
const CALM = 0.05;

/**
 * What a start leaves behind is a fifth of what an idle server holds: garbage, code that only a start needs, and spaces
 * that have grown for both. Without work no collection would come that gives them back, so it is done here, once, when the
 * process has had nothing to do for ten seconds: it stops everything for a tenth of a second, and costs as much processor
 * time as a sixth of a start, which one that does not live long need not spend. `cli/svc` exposes the collector.
 */
export function letGoOfTheStart(clock: Clock, used: Used = performance.eventLoopUtilization.bind(performance)): void {
  let last = used();
  const look = () => {
    const now = used();
    const { utilization } = used(now, last);
    last = now;
    if (utilization < CALM) globalThis.gc?.({ type: 'major', flavor: 'last-resort' });
    else later();
  };
  const later = () => clock.after(LOOK_MS, look, { unref: true });
  later();
}
