import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import type { Clock } from '../../kernel/boot/index.ts';

const CHECK_INTERVAL_MS = 10_000;

type MeasureUtilization = (until?: EventLoopUtilization, since?: EventLoopUtilization) => EventLoopUtilization;

/** The process counts as idle below this share of busy time since the last check. */
const MAX_IDLE_UTILIZATION = 0.05;

/**
 * Collects the garbage of the start once, when the process has been idle for ten seconds. A start leaves behind a fifth of
 * the memory of an idle server: garbage, code that only the start needs, and heap spaces that have grown for both. Without
 * work, V8 would never collect it. The collection stops everything for a tenth of a second and costs a sixth of the processor
 * time of a start, which a process that does not live long need not spend. `cli/svc` exposes the collector.
 */
export function collectStartupGarbage(
  clock: Clock,
  measure: MeasureUtilization = performance.eventLoopUtilization.bind(performance),
): void {
  let last = measure();
  const check = () => {
    const now = measure();
    const { utilization } = measure(now, last);
    last = now;
    if (utilization < MAX_IDLE_UTILIZATION) globalThis.gc?.({ type: 'major', flavor: 'last-resort' });
    else scheduleCheck();
  };
  const scheduleCheck = () => clock.after(CHECK_INTERVAL_MS, check, { unref: true });
  scheduleCheck();
}
