import type { CronTimes } from './cron.ts';

/** Up to here a tick is late, and every due time has its own; beyond, nobody was there and those missed are one. */
export const LATE_MS = 30_000;
/** More missed ones than this are not counted one by one. */
export const MOST_COUNTED = 1000;

const SECOND_MS = 1000;

/** One tick: the due time it is for, and the one after it. */
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

/** The tick for a due time that has come. The one after it lies after `now` when any was missed. */
export function tickOf(times: CronTimes, due: number, now: number): Tick {
  if (now - due <= LATE_MS) return { due, next: times.after(due) };
  const last_due = lastDue(times, due, now);
  const next = times.after(last_due);
  return { due: last_due, next, missed: { ...countDue(times, due, last_due), first_due: due, last_due } };
}

/** The latest due time that is not after `now`: whether there is one after an instant only ever turns from yes to no. */
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
    if (count >= MOST_COUNTED) return { count, more: true };
    at = times.after(at);
  }
  return { count, more: false };
}
