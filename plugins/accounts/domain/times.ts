const DAY_MS = 86_400_000;
/** Of its lifetime a token is used up to here before it is renewed, and the jitter on top. */
const SHARE = 0.65;
const JITTER = 0.15;
const MIN_PAUSE_MS = 1000;

/** When people are told that a token ends which nobody can renew. */
const WARNINGS_MS = [7 * DAY_MS, DAY_MS] as const;

const BACKOFF_MS = 2000;
const MAX_BACKOFF_MS = 600_000;
/** A provider that says when is believed up to a day. */
const MAX_PUT_OFF_MS = DAY_MS;

export interface TokenTimes {
  renewable: boolean;
  /** When the token was asked for, by our clock: the provider's is not used. */
  from: number;
  lifetime_ms: number | undefined;
}

/** When the access token ends; null when nobody says. */
export const expiryOf = ({ from, lifetime_ms }: TokenTimes): number | null =>
  lifetime_ms === undefined ? null : from + lifetime_ms;

/** When something is to be done with a new token; null: never. `random` is 0 to 1. */
export function firstDue(times: TokenTimes, random: number): number | null {
  const { from, lifetime_ms, renewable } = times;
  if (lifetime_ms === undefined) return null;
  if (renewable) return from + Math.max(MIN_PAUSE_MS, Math.round(lifetime_ms * (SHARE + JITTER * random)));
  return nextWarning(from + lifetime_ms, from);
}

/** The next warning after `now` of a token that ends at `expires_at`, or its end. */
export function nextWarning(expires_at: number, now: number): number {
  const ahead = WARNINGS_MS.map((before) => expires_at - before).filter((at) => at > now);
  return Math.min(expires_at, ...ahead);
}

/** The pause before a renewal that failed is tried again: it grows, with jitter, and is as long as the provider asks. */
export function pauseAfter(failures: number, random: number, after_ms = 0): number {
  const grown = Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** Math.min(failures, 20));
  return Math.max(Math.round(grown * (0.75 + random / 2)), Math.min(after_ms, MAX_PUT_OFF_MS));
}
