const DAY_MS = 86_400_000;
/** A token is renewed after this share of its lifetime, plus jitter. */
const SHARE = 0.65;
const JITTER = 0.15;
const MIN_PAUSE_MS = 1000;

/** When people are warned before a token ends that cannot be renewed. */
const WARNINGS_MS = [7 * DAY_MS, DAY_MS] as const;

const BACKOFF_MS = 2000;
const MAX_BACKOFF_MS = 600_000;
/** A provider's `Retry-After` is honoured up to a day. */
const MAX_RETRY_AFTER_MS = DAY_MS;

export interface TokenTimes {
  renewable: boolean;
  /** The time of the token request, by our own clock. */
  from: number;
  lifetime_ms: number | undefined;
}

/** Returns when the access token ends; null when the lifetime is unknown. */
export const expiresAt = ({ from, lifetime_ms }: TokenTimes): number | null =>
  lifetime_ms === undefined ? null : from + lifetime_ms;

/** Returns when a new token needs attention; null for never. `random` is from 0 to 1. */
export function firstDue(times: TokenTimes, random: number): number | null {
  const { from, lifetime_ms, renewable } = times;
  if (lifetime_ms === undefined) return null;
  if (renewable) return from + Math.max(MIN_PAUSE_MS, Math.round(lifetime_ms * (SHARE + JITTER * random)));
  return nextWarning(from + lifetime_ms, from);
}

/** The next warning after `now` of a token that ends at `expires_at`, or its end. */
export function nextWarning(expires_at: number, now: number): number {
  const upcoming = WARNINGS_MS.map((before) => expires_at - before).filter((at) => at > now);
  return Math.min(expires_at, ...upcoming);
}

/**
 * Returns the pause before a failed renewal is retried. It grows with jitter, and is at least as long as the provider
 * requests.
 */
export function pauseAfter(failures: number, random: number, after_ms = 0): number {
  const grown = Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** Math.min(failures, 20));
  return Math.max(Math.round(grown * (0.75 + random / 2)), Math.min(after_ms, MAX_RETRY_AFTER_MS));
}
