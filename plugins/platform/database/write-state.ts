import { isServiceError, type ServiceError } from '../../../kernel/contracts/index.ts';
import { DatabaseErrors, DATABASE_FAILURES } from './errors.ts';

/** Tracks whether this process may write, and whether the database accepts its writes. */
export class WriteState {
  #retired: ServiceError | undefined;
  #failure: ServiceError | undefined;

  /** Makes every later write throw `error`. */
  retire(error: ServiceError): void {
    this.#retired ??= error;
  }

  get retired(): ServiceError | undefined {
    return this.#retired;
  }

  /**
   * The last failure of a write that was caused by the database and not by the data. A later successful write does not clear it,
   * because a full disk still accepts an update in place.
   */
  get failure(): ServiceError | undefined {
    return this.#failure;
  }

  /** Clears a failure, unless there has been another one since. */
  clearFailure(failure: ServiceError): void {
    if (this.#failure === failure) this.#failure = undefined;
  }

  /** Runs a write and records its failure. */
  async track<T>(write: () => Promise<T>): Promise<T> {
    if (this.#retired) throw this.#retired;
    try {
      return await write();
    } catch (error) {
      // A row that stays locked says nothing about the next write.
      if (isServiceError(error) && DATABASE_FAILURES.has(error.code) && error.code !== DatabaseErrors.busy.code)
        this.#failure = error;
      throw error;
    }
  }
}
