import { Errors, isServiceError, MAX_DURATION_MS, parseDuration } from '../../../../kernel/contracts/index.ts';

/** Parses `expires_in`, seconds or a duration such as `30d`, into milliseconds. Throws `invalid_request`. */
export function expiresInMs(value: number | string): number {
  const ms = typeof value === 'number' ? value * 1000 : parse(value);
  if (ms >= 1000 && ms <= MAX_DURATION_MS) return ms;
  throw invalidExpiry('must be between one second and ten years');
}

function parse(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    if (isServiceError(error)) throw invalidExpiry(error.message);
    throw error;
  }
}

const invalidExpiry = (message: string) =>
  Errors.invalidRequest(`expires_in: ${message}`, { errors: [{ pointer: '/expires_in', message }] });
