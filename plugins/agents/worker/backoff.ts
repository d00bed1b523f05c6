import type { Clock, Ids } from '../../../kernel/contracts/index.ts';

export interface BackoffRules {
  first_ms: number;
  most_ms: number;
}

/** Growing pauses with jitter, so that many peers do not reconnect at the same moment. */
export class Backoff {
  readonly #rules: BackoffRules;
  readonly #ids: Ids;
  #tries = 0;

  constructor(rules: BackoffRules, ids: Ids) {
    this.#rules = rules;
    this.#ids = ids;
  }

  reset(): void {
    this.#tries = 0;
  }

  /** Between half and all of the doubled pause, within the minimum and the maximum. */
  next(): number {
    const { first_ms, most_ms } = this.#rules;
    const full = Math.min(most_ms, first_ms * 2 ** Math.min(this.#tries, 20));
    this.#tries += 1;
    const share = this.#ids.bytes(2).readUInt16BE() / 0xffff;
    return Math.max(first_ms, full / 2 + (share * full) / 2);
  }
}

/** Resolves after `delay_ms`, or as soon as `signal` aborts. */
export function pause(clock: Clock, delay_ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(delay_ms, done);
    signal?.addEventListener('abort', done);
  });
}
