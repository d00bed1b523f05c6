import { MIN_TOUCH_INTERVAL_MS, GRACE_MS, IDLE_MS, RENEW_MS } from './lifetimes.ts';

/** A session and one of its cookies. Cookies are numbered by generation, in the order in which they were issued. */
export interface PresentedCookie {
  expires_at: number;
  last_seen_at: number;
  /** The browser in which it began. */
  family: string;
  /** The generation of the presented cookie, and when it was issued. */
  generation: number;
  generation_at: number;
  /** The newest generation that a request has ever presented, and when it first did. */
  seen: number;
  seen_at: number;
  /** The newest generation that was issued, and when. */
  issued: number;
  issued_at: number;
}

export type CookieCheck =
  | { state: 'over' }
  | { state: 'stolen'; why: string }
  /** `first`: no request has presented this cookie before. `renew`: it has been used for long enough. */
  | { state: 'good'; first: boolean; touch: boolean; renew: boolean };

/**
 * Detects stolen cookies: when two parties use one session, the first of them to get a newer cookie leaves the other with an older
 * one, which then comes again. A cookie that was issued and never used proves nothing, because its answer may have been lost.
 */
export function checkCookie(row: PresentedCookie, family: string, now: number): CookieCheck {
  if (row.expires_at <= now || row.last_seen_at + IDLE_MS <= now) return { state: 'over' };
  if (row.family !== family)
    return { state: 'stolen', why: `its cookie came from ${family}, but the session belongs to ${row.family}` };
  const replaced = row.generation < row.seen;
  if (replaced && now - row.seen_at > GRACE_MS) return { state: 'stolen', why: 'a replaced cookie was used again' };
  const first = row.generation > row.seen;
  const successor_pending = row.issued > row.generation && now - row.issued_at <= GRACE_MS;
  return {
    state: 'good',
    first,
    touch: first || now - row.last_seen_at >= MIN_TOUCH_INTERVAL_MS,
    renew: !replaced && !successor_pending && now - row.generation_at >= RENEW_MS,
  };
}
