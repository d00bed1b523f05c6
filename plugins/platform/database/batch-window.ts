import type { Clock } from '../../../kernel/contracts/index.ts';

/** When a batch takes less time than this, waiting for more callers does not pay. */
const MIN_BATCH_MS = 0.25;
/** The shortest delay of a timer. */
const MAX_WAIT_MS = 1;
/** A caller that has not returned after this time is not expected any more. */
const RECENT_CALLER_MS = 10;
/** The share of the recent callers to wait for. Waiting for all of them would mean waiting for the slowest. */
const EXPECTED_SHARE = 0.75;
/** The factor by which the number of expected callers decays with each batch. */
const DECAY = 0.9;

/**
 * A SQLite commit blocks the whole process, so concurrent callers arrive one by one, and each would cost a commit. Callers
 * that came together tend to come together again: this waits for most of them, for a millisecond at most, and never for a
 * single caller.
 */
export class BatchWindow {
  readonly #clock: Clock;
  #recent_callers = 0;
  #batch_ms = 0;
  #ended_at = 0;
  #waiting: { count: number; resume: () => void } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records how many callers a batch had, including those that arrived meanwhile, and how long it took. */
  recordBatch(callers: number, batch_ms: number): void {
    this.#ended_at = this.#clock.monotonic();
    this.#batch_ms = batch_ms;
    this.#recent_callers = Math.max(callers, this.#recent_callers * DECAY);
  }

  /** Called with the number of waiting callers when another one has arrived. */
  onArrival(waiting: number): void {
    if (this.#waiting !== undefined && waiting >= this.#waiting.count) this.#waiting.resume();
  }

  /** Resolves when enough callers wait. Returns undefined when there is nothing to wait for. */
  waitForCallers(waiting: number, max: number): Promise<void> | undefined {
    if (this.#clock.monotonic() - this.#ended_at > RECENT_CALLER_MS) this.#recent_callers = 0;
    const count = Math.min(max, Math.floor(this.#recent_callers * EXPECTED_SHARE));
    if (waiting >= count || this.#batch_ms < MIN_BATCH_MS) return undefined;
    return new Promise((resolve) => {
      const resume = () => {
        cancel();
        this.#waiting = undefined;
        resolve();
      };
      const cancel = this.#clock.after(MAX_WAIT_MS, resume);
      this.#waiting = { count, resume };
    });
  }
}
