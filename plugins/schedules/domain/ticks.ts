import type { CronTimes } from './cron.ts';

/**
 * Up to this delay a tick is late, and every due time has its own tick. Beyond it no server was running, and the missed
 * due times share one tick.
 */
export const LATE_MS = 30_000;
/** More missed due times than this are not counted. */
export const MAX_COUNTED = 1000;

const SECOND_MS = 1000;

/** A tick: its due time, and the next one. */
export interface Tick {
  due: number;
  /** Undefined when the schedule never fires again. */
  next: number | undefined;
  missed?: Missed;
}

export interface Missed {
  count: number;
  /** There were more than are counted. */
  more: boolean;
  first_due: number;
  last_due: number;
}

/** The tick for a due time that has come. If any were missed, the next due time is after `now`. */
export function tickOf(times: CronTimes, due: number, now: number): Tick {
  if (now - due <= LATE_MS) return { due, next: times.after(due) };
  const last_due = lastDue(times, due, now);
  const next = times.after(last_due);
  return { due: last_due, next, missed: { ...countDue(times, due, last_due), first_due: due, last_due } };
}

/**
 * The latest due time up to `now`, found by bisection: "is there one after this instant" changes only from yes to no.
 */
function lastDue(times: CronTimes, first: number, now: number): number {
  let found = first;
  let low = first / SECOND_MS;
  let high = Math.floor(now / SECOND_MS);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const after = times.after(middle * SECOND_MS);
    if (after !== undefined && after <= now) {
      found = after;
      low = after / SECOND_MS;
    } else high = middle;
  }
  return found;
}

function countDue(times: CronTimes, first: number, last: number): { count: number; more: boolean } {
  let count = 1;
  for (let at: number | undefined = first; at !== undefined && at < last; count++) {
    if (count >= MAX_COUNTED) return { count, more: true };
    at = times.after(at);
  }
  return { count, more: false };
}
