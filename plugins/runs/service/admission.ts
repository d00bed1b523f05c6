import { type Clock, isServiceError } from '../../../kernel/contracts/index.ts';

/** Refusals that end what lasts; a rate that is used up says nothing of who may read. */
const OVER = ['not_authenticated', 'forbidden', 'not_found'];
/** How often it is asked whether the caller of an answer that lasts would still be let in. */
export const ASK_MS = 5000;

/** While an answer lasts. Throws what the caller would be refused with now, except that a rate is used up. */
export async function stillAdmitted(admitted: () => Promise<void>): Promise<void> {
  try {
    await admitted();
  } catch (error) {
    if (!isServiceError(error, 'rate_limited')) throw error;
  }
}

/** Whether the caller of an answer that lasts would still be let in. */
export class Admission {
  readonly #clock: Clock;
  readonly #admitted: () => Promise<void>;
  #asked_at: number;

  constructor(clock: Clock, admitted: () => Promise<void>) {
    this.#clock = clock;
    this.#admitted = admitted;
    this.#asked_at = clock.monotonic();
  }

  async isOver(): Promise<boolean> {
    if (this.#clock.monotonic() - this.#asked_at < ASK_MS) return false;
    this.#asked_at = this.#clock.monotonic();
    try {
      await stillAdmitted(this.#admitted);
      return false;
    } catch (error) {
      if (OVER.some((code) => isServiceError(error, code))) return true;
      throw error;
    }
  }
}
