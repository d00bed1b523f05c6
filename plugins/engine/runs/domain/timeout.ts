import { isServiceError, parseDuration } from '../../../../kernel/contracts/index.ts';

/** Why a text is not how long a run may take; undefined when it is. */
export function timeoutFault(text: string): string | undefined {
  try {
    return parseDuration(text) > 0 ? undefined : 'must be longer than 0s';
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return error.message;
  }
}
