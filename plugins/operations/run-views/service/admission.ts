import { type Clock, isServiceError } from '../../../../kernel/contracts/index.ts';
import { ADMISSION_INTERVAL_MS, checkAdmission } from '../../../engine/runs/contract.ts';

/** Errors that end a stream. An exceeded rate limit says nothing of who may read. */
const ENDING = ['not_authenticated', 'forbidden', 'not_found'];

/** Whether the caller of a stream would still be admitted. */
export class Admission {
  readonly #clock: Clock;
  readonly #admitted: () => Promise<void>;
  #checked_at: number;

  constructor(clock: Clock, admitted: () => Promise<void>) {
    this.#clock = clock;
    this.#admitted = admitted;
    this.#checked_at = clock.monotonic();
  }

  async hasEnded(): Promise<boolean> {
    if (this.#clock.monotonic() - this.#checked_at < ADMISSION_INTERVAL_MS) return false;
    this.#checked_at = this.#clock.monotonic();
    try {
      await checkAdmission(this.#admitted);
      return false;
    } catch (error) {
      if (ENDING.some((code) => isServiceError(error, code))) return true;
      throw error;
    }
  }
}
