const MAX_BACKOFF_MS = 60 * 60_000;
const MAX_RETRY_AFTER_MS = 86_400_000;

/** How long a trigger pauses after `failures` failed polls in a row: each time twice as long, up to an hour or its interval. */
export function backoff(every_ms: number, failures: number, retry_after_ms = 0): number {
  const most = Math.max(MAX_BACKOFF_MS, every_ms);
  const grown = Math.min(every_ms * 2 ** Math.min(failures, 20), most);
  return Math.max(grown, Math.min(retry_after_ms, MAX_RETRY_AFTER_MS));
}
