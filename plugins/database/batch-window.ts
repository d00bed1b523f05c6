import type { Clock } from '../../kernel/contracts/index.ts';

/** A batch that takes less time than this is not worth waiting for. */
const WORTH_MS = 0.25;
/** The shortest delay of a timer. */
const MAX_WAIT_MS = 1;
/** A caller that has not returned after this time is no longer expected. */
const MEMORY_MS = 10;
/** Share of the recent callers to wait for. Waiting for all would mean waiting for the slowest. */
const SHARE = 0.75;
/** How fast absent callers are forgotten, for each batch. */
const FADING = 0.9;

/**
 * A SQLite commit blocks the whole process, so callers that take turns arrive one by one, and each would cost a commit.
 * Callers that were seen together arrive together again soon: this waits for most of them, for a moment at most, and
 * never for a single caller.
 */
export class BatchWindow {
  readonly #clock: Clock;
  #seen = 0;
  #took_ms = 0;
  #ended_at = 0;
  #enough: { count: number; go: () => void } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records a batch: how many callers it had, including those that arrived meanwhile, and how long it took. */
  committed(together: number, took_ms: number): void {
    this.#ended_at = this.#clock.monotonic();
    this.#took_ms = took_ms;
    this.#seen = Math.max(together, this.#seen * FADING);
  }

  /** Reports the number of waiting callers after one more arrived. */
  came(waiting: number): void {
    if (this.#enough !== undefined && waiting >= this.#enough.count) this.#enough.go();
  }

  /** Resolves when enough callers wait; undefined when enough wait already. */
  gathered(waiting: number, most: number): Promise<void> | undefined {
    if (this.#clock.monotonic() - this.#ended_at > MEMORY_MS) this.#seen = 0;
    const count = Math.min(most, Math.floor(this.#seen * SHARE));
    if (waiting >= count || this.#took_ms < WORTH_MS) return undefined;
    return new Promise((resolve) => {
      const go = () => {
        cancel();
        this.#enough = undefined;
        resolve();
      };
      const cancel = this.#clock.after(MAX_WAIT_MS, go);
      this.#enough = { count, go };
    });
  }
}
