import type { Clock } from '../contracts/index.ts';

/** A batch that takes less than this is not worth a wait. */
const WORTH_MS = 0.25;
/** The shortest wait that a timer can do. */
const LONGEST_WAIT_MS = 1;
/** Who has not come back after this long is not expected any more. */
const MEMORY_MS = 10;
/** Of those who were seen together lately: waiting for all would wait for the slowest. */
const SHARE = 0.75;
/** How fast those who stay away are forgotten, a batch. */
const FADING = 0.9;

/**
 * Where a commit holds up the whole process, callers that take turns with it come one by one, and each would cost a
 * commit. Those who were seen together come together again soon: this waits for most of them, a moment at most, and
 * never for somebody alone.
 */
export class Company {
  readonly #clock: Clock;
  #seen = 0;
  #took_ms = 0;
  #ended_at = 0;
  #enough: { count: number; go: () => void } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Tells of a batch: how many it had and came during it, together, and what it took. */
  committed(together: number, took_ms: number): void {
    this.#ended_at = this.#clock.monotonic();
    this.#took_ms = took_ms;
    this.#seen = Math.max(together, this.#seen * FADING);
  }

  /** Tells how many wait since one more came. */
  came(waiting: number): void {
    if (this.#enough !== undefined && waiting >= this.#enough.count) this.#enough.go();
  }

  /** Resolves when enough wait; undefined when they do already. */
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
      const cancel = this.#clock.after(LONGEST_WAIT_MS, go);
      this.#enough = { count, go };
    });
  }
}
