import { isServiceError, parseDuration } from '../../../../kernel/contracts/index.ts';

/** Explains why a text is not a duration of at least this length; undefined when it is one. */
export function validateDuration(text: string, min_ms: number): string | undefined {
  try {
    return parseDuration(text) < min_ms ? 'is too short' : undefined;
  } catch (error) {
    if (isServiceError(error)) return error.message;
    throw error;
  }
}
