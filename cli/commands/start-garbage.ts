import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../../kernel/boot/index.ts';

const CHECK_INTERVAL_MS = 10_000;

type MeasureUtilization = (until?: EventLoopUtilization, since?: EventLoopUtilization) => EventLoopUtilization;

/** The process counts as idle below this share of busy time since the last check. */
const MAX_IDLE_UTILIZATION = 0.05;

/**
 * Keeps the memory of a process small that lives long. Old garbage is let grow to half of what lives instead of several times
 * it: after 6,000 runs a server holds as much as after 1,000, instead of 1.6 times as much.
 *
 * Call it when the process is ready and has stored what it compiled. With flags of V8 other than those of its build, Node
 * rejects the compiled code of its own modules, so that each start would compile them again for 50 milliseconds.
 */
export function limitMemory(clock: Clock): void {
  setFlagsFromString('--heap-growing-percent=50');
  collectStartupGarbage(clock);
}

/**
 * Collects the garbage of the start once, when the process has been idle for ten seconds. A start leaves behind a fifth of
 * the memory of an idle server: garbage, code that only the start needs, and heap spaces that have grown for both. Without
 * work, V8 would never collect it. The collection stops everything for a tenth of a second and costs a sixth of the processor
 * time of a start, which a process that does not live long need not spend.
 */
export function collectStartupGarbage(
  clock: Clock,
  measure: MeasureUtilization = performance.eventLoopUtilization.bind(performance),
  collect: () => void = collectAll,
): void {
  let last = measure();
  const check = () => {
    const now = measure();
    const { utilization } = measure(now, last);
    last = now;
    if (utilization < MAX_IDLE_UTILIZATION) collect();
    else scheduleCheck();
  };
  const scheduleCheck = () => clock.after(CHECK_INTERVAL_MS, check, { unref: true });
  scheduleCheck();
}

/** V8 exposes the collector to contexts that are created after the flag is set. */
function collectAll(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NonNullable<typeof globalThis.gc>;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
