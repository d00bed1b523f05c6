import { isServiceError, type ServiceError } from '../../kernel/contracts/index.ts';
import { DatabaseErrors, OF_THE_DATABASE } from './errors.ts';

/** Whether this process may write, and whether the database takes its writes. */
export class WriteState {
  #retired: ServiceError | undefined;
  #fault: ServiceError | undefined;

  /** Every later write throws `error`. */
  retire(error: ServiceError): void {
    this.#retired ??= error;
  }

  get retired(): ServiceError | undefined {
    return this.#retired;
  }

  /**
   * Why the database did not take a write, when that was not the fault of what was written. A later write that is taken does
   * not end it: what changes a row in its place is taken by a full disk too.
   */
  get fault(): ServiceError | undefined {
    return this.#fault;
  }

  /** Forgets a fault, unless there was another one meanwhile. */
  ended(fault: ServiceError): void {
    if (this.#fault === fault) this.#fault = undefined;
  }

  /** Runs a write and remembers that it failed. */
  async watch<T>(write: () => Promise<T>): Promise<T> {
    if (this.#retired) throw this.#retired;
    try {
      return await write();
    } catch (error) {
      // A row that is locked for long says nothing of the next write.
      if (isServiceError(error) && OF_THE_DATABASE.has(error.code) && error.code !== DatabaseErrors.busy.code)
        this.#fault = error;
      throw error;
    }
  }
}
