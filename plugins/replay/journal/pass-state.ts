import { isServiceError } from '../../../kernel/contracts/index.ts';
import type { PassEnd } from '../../agents/contract.ts';
import { PassOver, type ReplayedPass } from '../contract.ts';
import { fatalRefusal, saysClaimIsOver } from './refusals.ts';

/** Whether a pass goes on, and what ends it. */
export class PassState {
  readonly #pass: Pick<ReplayedPass, 'end' | 'fault'>;
  #over = false;

  constructor(pass: Pick<ReplayedPass, 'end' | 'fault'>) {
    this.#pass = pass;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Nothing is recorded from now on. */
  freeze(): void {
    this.#over = true;
  }

  /** Throws `PassOver` when it is. */
  check(): void {
    if (this.#over) throw new PassOver();
  }

  end(end: PassEnd): never {
    this.#over = true;
    this.#pass.end(end);
    throw new PassOver();
  }

  lose(): never {
    return this.end({ end: 'lost' });
  }

  /**
   * Asks the host. A claim that is over ends the pass, and so does a fault of the service, which is no outcome of the
   * call. A refusal goes to the caller, unless it is `fatal`: work was done that cannot be recorded, and going on
   * would only do more of it.
   */
  async asked<T>(ask: () => Promise<T>, refusal: 'fatal' | 'refusal'): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      this.check();
      if (saysClaimIsOver(error)) this.lose();
      if (!isServiceError(error) || error.status >= 500) {
        this.#over = true;
        this.#pass.fault(error);
        throw new PassOver();
      }
      if (refusal === 'refusal') throw error;
      return this.end({ end: 'completed', completion: fatalRefusal(error) });
    }
  }
}
