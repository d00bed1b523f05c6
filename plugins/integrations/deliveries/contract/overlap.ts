import { Errors, formatDuration, iso, isServiceError, parseDuration } from '../../../../kernel/contracts/index.ts';

const MIN_MS = 1000;
const MAX_MS = 30 * 86_400_000;

/** A delivery by an old secret that still counts is answered with this header: until when it does. */
export const oldSecretHeader = (until: number | undefined): Record<string, string> =>
  until === undefined ? {} : { 'x-svc-old-secret-until': iso(until) };

/** The last use of an old secret is recorded at most once in this interval. */
export const USE_RECORD_INTERVAL_MS = 60_000;

/** Returns when the old secret expires. Throws `invalid_request`. */
export function overlapUntil(overlap: string, now: number): number {
  const ms = parseOverlap(overlap);
  if (ms >= MIN_MS && ms <= MAX_MS) return now + ms;
  throw overlapInvalid(`must be ${formatDuration(MIN_MS)} to ${formatDuration(MAX_MS)}`);
}

function parseOverlap(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw isServiceError(error, 'duration_invalid') ? overlapInvalid(error.message) : error;
  }
}

const overlapInvalid = (message: string) =>
  Errors.invalidRequest(`overlap ${message}`, { errors: [{ pointer: '/overlap', message }] });
