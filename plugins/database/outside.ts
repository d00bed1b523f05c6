import { isServiceError } from '../../kernel/contracts/index.ts';

export type OutsideWork = () => Promise<void>;

/** Work that a transaction has asked for by throwing, which must not be done while it holds its locks. */
export const outsideWorkOf = (error: unknown): OutsideWork | undefined =>
  isServiceError(error) ? error.extras.outside : undefined;

/** Runs a transaction until it needs no more work outside of it. */
export async function doingOutside<T>(attempt: () => Promise<T>): Promise<T> {
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
