const MINUTE_MS = 60_000;

/** A session ends so long after its last use, and so long after its beginning in any case. */
export const IDLE_MS = 120 * MINUTE_MS;
export const SESSION_MS = 720 * MINUTE_MS;

/** Its cookie is replaced after so much use. */
export const RENEW_MS = 15 * MINUTE_MS;
/** For requests that were under way when its successor was first used, a cookie stays good so long. */
export const GRACE_MS = MINUTE_MS;

/** The last use is written so often, at most. */
export const APART_MS = MINUTE_MS;

export const LINK_MS = 5 * MINUTE_MS;

/** Sessions of one person; a further one ends the oldest. */
export const MOST_SESSIONS = 100;
