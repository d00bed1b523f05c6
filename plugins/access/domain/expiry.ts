import { Errors, isServiceError, MAX_DURATION_MS, parseDuration } from '../../../kernel/contracts/index.ts';

/** Milliseconds of `expires_in`: whole seconds, or a duration such as `30d`. Throws `invalid_request`. */
export function expiresInMs(value: number | string): number {
  const ms = typeof value === 'number' ? value * 1000 : parse(value);
  if (ms >= 1000 && ms <= MAX_DURATION_MS) return ms;
  throw refuse('must be between one second and ten years');
}

function parse(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    if (isServiceError(error)) throw refuse(error.message);
    throw error;
  }
}

const refuse = (message: string) =>
  Errors.invalidRequest(`expires_in: ${message}`, { errors: [{ pointer: '/expires_in', message }] });
