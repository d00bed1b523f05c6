const MINUTE_MS = 60_000;

/** A session ends this long after its last use, and after `SESSION_MS` in any case. */
export const IDLE_MS = 120 * MINUTE_MS;
export const SESSION_MS = 720 * MINUTE_MS;

/** The age at which a cookie is rotated. */
export const RENEW_MS = 15 * MINUTE_MS;
/** How long an old cookie stays valid, for requests that were in flight when its successor was first used. */
export const GRACE_MS = MINUTE_MS;

/** The shortest interval at which the last use is written. */
export const MIN_TOUCH_INTERVAL_MS = MINUTE_MS;

export const LINK_MS = 5 * MINUTE_MS;

/** The maximum number of sessions of one person. A further one ends the oldest. */
export const MAX_SESSIONS = 100;
