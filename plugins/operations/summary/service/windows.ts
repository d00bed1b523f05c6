const MINUTE_MS = 60_000;

/** Windows, cut into at most 60 buckets that begin at even times. */
export const WINDOWS = {
  '1h': { bucket_ms: MINUTE_MS, buckets: 60 },
  '24h': { bucket_ms: 30 * MINUTE_MS, buckets: 48 },
  '7d': { bucket_ms: 180 * MINUTE_MS, buckets: 56 },
} as const;

export type Window = keyof typeof WINDOWS;

export const WINDOW: Window = '24h';

export const isWindow = (text: string): text is Window => Object.hasOwn(WINDOWS, text);

/** Returns when the buckets begin. The last one contains `now`. */
export function bucketStarts(window: Window, now: number): number[] {
  const { bucket_ms, buckets } = WINDOWS[window];
  const last = Math.floor(now / bucket_ms) * bucket_ms;
  return Array.from({ length: buckets }, (_, n) => last - (buckets - 1 - n) * bucket_ms);
}
