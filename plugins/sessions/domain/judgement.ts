import { APART_MS, GRACE_MS, IDLE_MS, RENEW_MS } from './lifetimes.ts';

/** A session, and one of its cookies. Cookies are numbered in the order in which they were given out. */
export interface Presented {
  expires_at: number;
  last_seen_at: number;
  /** The program that it was begun in. */
  family: string;
  /** The number of the presented cookie, and when it was given out. */
  turn: number;
  turn_at: number;
  /** The newest cookie that a request ever had, and when it was first seen. */
  seen: number;
  seen_at: number;
  /** The newest cookie that was given out, and when. */
  issued: number;
  issued_at: number;
}

export type Verdict =
  | { state: 'over' }
  | { state: 'stolen'; why: string }
  /** `first`: no request had this cookie before. `renew`: it has been used long enough. */
  | { state: 'good'; first: boolean; touch: boolean; renew: boolean };

/**
 * Two who use one session show themselves: as soon as one of them has used a newer cookie, the other comes with an older
 * one. A cookie that was given out and never used proves nothing, because its answer may have been lost.
 */
export function judge(row: Presented, family: string, now: number): Verdict {
  if (row.expires_at <= now || row.last_seen_at + IDLE_MS <= now) return { state: 'over' };
  if (row.family !== family)
    return { state: 'stolen', why: `its cookie came from ${family}, and it is one of ${row.family}` };
  const replaced = row.turn < row.seen;
  if (replaced && now - row.seen_at > GRACE_MS)
    return { state: 'stolen', why: 'a cookie came again that had been replaced' };
  const first = row.turn > row.seen;
  const waits = row.issued > row.turn && now - row.issued_at <= GRACE_MS;
  return {
    state: 'good',
    first,
    touch: first || now - row.last_seen_at >= APART_MS,
    renew: !replaced && !waits && now - row.turn_at >= RENEW_MS,
  };
}
