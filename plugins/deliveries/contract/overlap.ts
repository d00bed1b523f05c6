import { Errors, formatDuration, iso, isServiceError, parseDuration } from '../../../kernel/contracts/index.ts';

const MIN_MS = 1000;
const MAX_MS = 30 * 86_400_000;

/** A delivery by an old secret that still counts is answered with this header: until when it does. */
export const oldSecretHeader = (until: number | undefined): Record<string, string> =>
  until === undefined ? {} : { 'x-svc-old-secret-until': iso(until) };

/** The last use of an old secret is written down at most so often. */
export const USE_NOTED_MS = 60_000;

/** Until when the old secret counts beside the new one. Throws `invalid_request`. */
export function overlapUntil(overlap: string, now: number): number {
  const ms = durationOf(overlap);
  if (ms >= MIN_MS && ms <= MAX_MS) return now + ms;
  throw invalid(`must be ${formatDuration(MIN_MS)} to ${formatDuration(MAX_MS)}`);
}

function durationOf(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw isServiceError(error, 'duration_invalid') ? invalid(error.message) : error;
  }
}

const invalid = (message: string) =>
  Errors.invalidRequest(`overlap ${message}`, { errors: [{ pointer: '/overlap', message }] });
