import type { Clock, Ids } from '../../../../kernel/contracts/index.ts';

export interface BackoffOptions {
  min_ms: number;
  max_ms: number;
}

/** Growing pauses with jitter, so that many peers do not reconnect at the same moment. */
export class Backoff {
  readonly #options: BackoffOptions;
  readonly #ids: Ids;
  #attempts = 0;

  constructor(rules: BackoffOptions, ids: Ids) {
    this.#options = rules;
    this.#ids = ids;
  }

  reset(): void {
    this.#attempts = 0;
  }

  /** Returns between half and all of the doubled pause, within the minimum and the maximum. */
  next(): number {
    const { min_ms, max_ms } = this.#options;
    const full = Math.min(max_ms, min_ms * 2 ** Math.min(this.#attempts, 20));
    this.#attempts += 1;
    const share = this.#ids.bytes(2).readUInt16BE() / 0xffff;
    return Math.max(min_ms, full / 2 + (share * full) / 2);
  }
}

/** Resolves after `delay_ms`, or as soon as `signal` aborts. */
export function pause(clock: Clock, delay_ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = () => {
      cancel();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = clock.after(delay_ms, finish);
    signal?.addEventListener('abort', finish);
  });
}
