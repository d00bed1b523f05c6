import { isServiceError } from './errors.ts';

/**
 * Repeats the work, up to three times, when the answer to its commit was lost with the connection. The work must be
 * idempotent: a transition that runs again finds what it wrote before and returns the same result.
 */
export async function retryUnknownCommit<T>(work: (isRetry: boolean) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work(attempt > 0);
    } catch (error) {
      if (attempt >= 3 || !isServiceError(error, 'commit_unknown')) throw error;
    }
  }
}
