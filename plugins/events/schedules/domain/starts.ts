import { createHash } from 'node:crypto';
import type { CronTimes } from './cron.ts';

/** What happens to a due time while an earlier run of the schedule has not ended. */
export const OVERLAPS = ['allow', 'skip', 'queue', 'cancel'] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** How due times become starts. Null: the schedule does not say. */
export interface StartRules {
  schedule_id: string;
  jitter_ms: number | null;
  catch_up_ms: number | null;
  deadline_ms: number | null;
}

/** A due time and when it starts, which is later by the jitter. */
export interface Start {
  due: number;
  starts_at: number;
}

/**
 * Spreads the starts of schedules that are due at the same time. The delay depends only on the schedule and the due
 * time, so that every server computes the same one. No start is delayed beyond the next due time.
 */
export function startOf(times: CronTimes, { schedule_id, jitter_ms }: StartRules, due: number): Start {
  if (jitter_ms === null) return { due, starts_at: due };
  const next = times.after(due);
  const most = next === undefined ? jitter_ms : Math.min(jitter_ms, next - due - 1);
  const share = createHash('sha256').update(`${schedule_id} ${due}`).digest().readUInt32BE(0) / 2 ** 32;
  return { due, starts_at: due + Math.floor(share * most) };
}

export function nextStart(times: CronTimes, rules: StartRules, after: number): Start | undefined {
  const due = times.after(after);
  return due === undefined ? undefined : startOf(times, rules, due);
}
