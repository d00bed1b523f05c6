import type { CronTimes } from './cron.ts';

/**
 * Up to this delay a tick is merely late, and every due time gets its own tick. Beyond it no server was running, and
 * the missed due times share one tick.
 */
export const MAX_LATE_MS = 30_000;
/** Missed due times are counted up to this number. */
export const MAX_COUNTED = 1000;

const SECOND_MS = 1000;

/** A tick with its due time and the next one. */
export interface Tick {
  due: number;
  /** Undefined when the schedule never fires again. */
  next: number | undefined;
  missed?: Missed;
}

export interface Missed {
  count: number;
  /** Whether more were missed than are counted. */
  has_more: boolean;
  first_due: number;
  last_due: number;
}

/** Returns the tick for a due time that has come. If due times were missed, the next one is after `now`. */
export function computeTick(times: CronTimes, due: number, now: number): Tick {
  if (now - due <= MAX_LATE_MS) return { due, next: times.after(due) };
  const last_due = findLastDue(times, due, now);
  const next = times.after(last_due);
  return { due: last_due, next, missed: { ...countDue(times, due, last_due), first_due: due, last_due } };
}

/**
 * Finds the latest due time up to `now` by bisection: whether there is one after an instant changes only from yes to
 * no.
 */
function findLastDue(times: CronTimes, first: number, now: number): number {
  let latest = first;
  let low = first / SECOND_MS;
  let high = Math.floor(now / SECOND_MS);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const after = times.after(middle * SECOND_MS);
    if (after !== undefined && after <= now) {
      latest = after;
      low = after / SECOND_MS;
    } else high = middle;
  }
  return latest;
}

function countDue(times: CronTimes, first: number, last: number): Pick<Missed, 'count' | 'has_more'> {
  let count = 1;
  for (let at: number | undefined = first; at !== undefined && at < last; count++) {
    if (count >= MAX_COUNTED) return { count, has_more: true };
    at = times.after(at);
  }
  return { count, has_more: false };
}
