import {
  Errors,
  type Fault,
  formatDuration,
  isServiceError,
  parseDuration,
} from '../../../../kernel/contracts/index.ts';

/** How often, and after which delays, failed runs of a handler are run again. */
export interface RetryPolicy {
  limit: number;
  /** The delay before the first retry; it doubles with each further one. */
  backoff: string;
  /** The longest delay. */
  backoff_max: string;
}

/** The retry policy in a body. */
export interface RetryBody {
  limit?: number | undefined;
  backoff?: string | undefined;
  backoff_max?: string | undefined;
}

/** The key of the reruns that are retries; no request can have a key with a NUL. */
export const RETRY_KEY = '\0retry';

const DEFAULT_BACKOFF = '10s';
const DEFAULT_BACKOFF_MAX = '1h';
const MIN_MS = 1000;
const MAX_MS = 7 * 86_400_000;

/** Throws `invalid_request`. */
export function parseRetry({ limit = 1, backoff = DEFAULT_BACKOFF, backoff_max }: RetryBody): RetryPolicy {
  const errors: Fault[] = [];
  const first_ms = readDelay('/retry/backoff', backoff, errors);
  const max = backoff_max ?? formatDuration(Math.max(first_ms, parseDuration(DEFAULT_BACKOFF_MAX)));
  const max_ms = readDelay('/retry/backoff_max', max, errors);
  if (errors.length === 0 && max_ms < first_ms)
    errors.push({ pointer: '/retry/backoff_max', message: `must be at least the backoff, ${backoff}` });
  if (errors.length > 0)
    throw Errors.invalidRequest(errors.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`).join('; '), {
      errors,
    });
  return { limit, backoff: formatDuration(first_ms), backoff_max: formatDuration(max_ms) };
}

function readDelay(pointer: string, text: string, errors: Fault[]): number {
  try {
    const ms = parseDuration(text);
    if (ms >= MIN_MS && ms <= MAX_MS) return ms;
    errors.push({ pointer, message: `must be ${formatDuration(MIN_MS)} to ${formatDuration(MAX_MS)}` });
  } catch (error) {
    if (!isServiceError(error, 'duration_invalid')) throw error;
    errors.push({ pointer, message: error.message });
  }
  return MIN_MS;
}

/** Returns how long to wait before a retry, counted from 1. */
export const delayOf = ({ backoff, backoff_max }: RetryPolicy, attempt: number): number =>
  Math.min(parseDuration(backoff) * 2 ** (attempt - 1), parseDuration(backoff_max));
