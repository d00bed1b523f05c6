const MINUTE_MS = 60_000;

/** Clouds exchange a token at once for a credential of their own, so a token need not live long. */
export const DEFAULT_LIFETIME_MS = 10 * MINUTE_MS;
export const MIN_LIFETIME_MS = MINUTE_MS;
export const MAX_LIFETIME_MS = 60 * MINUTE_MS;

/** How far a verifier's clock may be behind or ahead. A token is valid so long before it was issued. */
export const CLOCK_SKEW_MS = MINUTE_MS;
/** Verifiers accept an expired token for at most so long, so it is masked for so long. */
export const MASKED_AFTER_EXPIRY_MS = 5 * MINUTE_MS;

/** Tokens that a run is issued within an hour. */
export const MAX_TOKENS_PER_HOUR = 60;
export const HOUR_MS = 60 * MINUTE_MS;

/** Verifiers keep the published keys for so long. */
export const KEYS_CACHED_S = 300;
/** A new key is published so long before it signs, so that every verifier has read it. It is more than `KEYS_CACHED_S`. */
export const PUBLISHED_EARLY_MS = 10 * MINUTE_MS;
/** A key stays published for so long after its successor began to sign: longer than its last token lives. */
export const PUBLISHED_AFTER_MS = MAX_LIFETIME_MS + HOUR_MS;
/** A key that has signed for so long gets a successor. */
export const MAX_KEY_AGE_MS = 90 * 24 * HOUR_MS;
