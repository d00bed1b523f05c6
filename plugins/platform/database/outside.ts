import { isServiceError } from '../../../kernel/contracts/index.ts';

export type OutsideWork = () => Promise<void>;

/** Returns the work that a transaction has asked for by throwing. It must not be done while the transaction holds locks. */
export const outsideWorkOf = (error: unknown): OutsideWork | undefined =>
  isServiceError(error) ? error.extras.outside : undefined;

/** Runs a transaction, does the outside work that it asks for, and repeats until it asks for none. */
export async function withOutsideWork<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const work = outsideWorkOf(error);
      if (work === undefined) throw error;
      await work();
    }
  }
}
