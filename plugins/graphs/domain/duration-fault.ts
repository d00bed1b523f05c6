import { isServiceError, parseDuration } from '../../../kernel/contracts/index.ts';

/** Why a text is no duration of at least so many milliseconds; undefined when it is one. */
export function durationFault(text: string, least: number): string | undefined {
  try {
    return parseDuration(text) < least ? 'must be longer' : undefined;
  } catch (error) {
    if (isServiceError(error)) return error.message;
    throw error;
  }
}
