import { isServiceError } from './errors.ts';

/**
 * The answer to a commit can be lost with the connection. Then the work is done again from the top: every transition
 * that goes through here finds what it wrote before and answers the same. Never more than a few times.
 */
export async function settled<T>(work: (again: boolean) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work(attempt > 0);
    } catch (error) {
      if (attempt >= 3 || !isServiceError(error, 'commit_unknown')) throw error;
    }
  }
}
