import { formatDuration } from '../../../../kernel/contracts/index.ts';
import type { CronTimes } from './cron.ts';
import { type Start, type StartRules, startOf } from './starts.ts';

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
  /** Why nothing starts at this due time, nor at the missed ones before it. */
  skip_reason?: string;
}

export interface Missed {
  count: number;
  /** Whether more were missed than are counted. */
  has_more: boolean;
  first_due: number;
  last_due: number;
}

/**
 * Returns the tick for a start that has come. Without a catch-up window, missed due times share one tick, and the next
 * one is after `now`. With one, each due time within it has its own tick, and the others are skipped.
 */
export function computeTick(times: CronTimes, start: Start, now: number, rules: StartRules): Tick {
  const tick = chooseDue(times, start, now, rules);
  const { deadline_ms } = rules;
  if (tick.skip_reason !== undefined || deadline_ms === null) return tick;
  if (now - startOf(times, rules, tick.due).starts_at <= deadline_ms) return tick;
  return { ...tick, skip_reason: `it did not start within its deadline of ${formatDuration(deadline_ms)}` };
}

function chooseDue(times: CronTimes, { due, starts_at }: Start, now: number, { catch_up_ms }: StartRules): Tick {
  if (now - starts_at <= MAX_LATE_MS || (catch_up_ms !== null && now - due <= catch_up_ms))
    return { due, next: times.after(due) };
  const skipped_to = catch_up_ms === null ? now : now - catch_up_ms - 1;
  const last_due = findLastDue(times, due, skipped_to);
  const next = times.after(last_due);
  const missed = { ...countDue(times, due, last_due), first_due: due, last_due };
  if (catch_up_ms === null) return { due: last_due, next, missed };
  const skip_reason = `no server was running, and the catch-up window is ${formatDuration(catch_up_ms)}`;
  return { due: last_due, next, missed, skip_reason };
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
