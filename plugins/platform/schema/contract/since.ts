import { Errors, isServiceError, parseDuration } from '../../../../kernel/contracts/index.ts';

const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** Parses a member such as `?since=` or `?until=`, a time or a duration before `now`, into epoch ms. Throws `invalid_request`. */
export function readSince(text: string, now: number, name = 'since', pointer = `/query/${name}`): number {
  const at = ISO.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(at)) return at;
  try {
    return now - parseDuration(text);
  } catch (error) {
    if (!isServiceError(error)) throw error;
    const message = 'is neither a time (2026-01-31, 2026-01-31T12:00:00Z) nor a duration (30m, 2h, 7d)';
    throw Errors.invalidRequest(`${name} ${message}`, { errors: [{ pointer, message }] });
  }
}
