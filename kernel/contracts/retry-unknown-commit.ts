import { isServiceError } from './errors.ts';

/**
 * The answer to a commit can be lost with the connection. Then this repeats the whole work, a few times at most: every
 * transition that uses it finds what it wrote before and answers the same.
 */
export async function retryUnknownCommit<T>(work: (again: boolean) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work(attempt > 0);
    } catch (error) {
      if (attempt >= 3 || !isServiceError(error, 'commit_unknown')) throw error;
    }
  }
}
