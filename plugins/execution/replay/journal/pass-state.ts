import { isServiceError } from '../../../../kernel/contracts/index.ts';
import type { PassEnd } from '../../agents/contract.ts';
import { PassEnded, type ReplayedPass } from '../contract.ts';
import { unrecordableCompletion, isClaimLost } from './rejections.ts';

/** Whether a pass continues, and what ends it. */
export class PassState {
  readonly #pass: Pick<ReplayedPass, 'endPass' | 'onServiceError'>;
  /** `retained`: the pass has ended at a wait, and its program is there for the pass that follows. */
  #phase: 'running' | 'retained' | 'ended' = 'running';

  constructor(pass: Pick<ReplayedPass, 'endPass' | 'onServiceError'>) {
    this.#pass = pass;
  }

  get hasEnded(): boolean {
    return this.#phase !== 'running';
  }

  /** Stops recording. */
  freeze(): void {
    this.#phase = 'ended';
  }

  /** Throws `PassEnded` when the pass has ended. */
  assertRunning(): void {
    if (this.hasEnded) throw new PassEnded();
  }

  end(end: PassEnd): never {
    this.#phase = 'ended';
    this.#pass.endPass(end);
    throw new PassEnded();
  }

  /** Stops recording until `woken` resolves, which the next pass does. Throws `PassEnded` if the program is not kept that long. */
  async retainUntil<T>(woken: Promise<T>): Promise<T> {
    this.#phase = 'retained';
    const value = await woken;
    if (this.#phase !== 'retained') throw new PassEnded();
    this.#phase = 'running';
    return value;
  }

  endLost(): never {
    return this.end({ end: 'lost' });
  }

  /**
   * Sends a request to the host. A lost claim ends the pass, and so does an error of the service, which is no outcome
   * of the call. A rejection goes to the caller, unless it is `fatal`: then work was done that cannot be recorded,
   * and continuing would only do more of it.
   */
  async request<T>(send: () => Promise<T>, on_rejection: 'fatal' | 'refusal'): Promise<T> {
    try {
      return await send();
    } catch (error) {
      this.assertRunning();
      if (isClaimLost(error)) this.endLost();
      if (!isServiceError(error) || error.status >= 500) {
        this.#phase = 'ended';
        this.#pass.onServiceError(error);
        throw new PassEnded();
      }
      if (on_rejection === 'refusal') throw error;
      return this.end({ end: 'completed', completion: unrecordableCompletion(error) });
    }
  }
}
