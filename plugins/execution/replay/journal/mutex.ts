/** Runs work in order, one piece at a time. */
export interface SerialQueue {
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** A reservation for one caller: its work runs one piece at a time while everybody else waits. */
export interface MutexReservation extends SerialQueue {
  /** Whether somebody else waits. */
  readonly isContended: boolean;
  /** Lets the others continue after the work that was started here. Further work is not run. Safe to call twice. */
  release(): void;
}

const NO_LISTENER = () => undefined;

/** Runs one piece of work at a time, in the order of arrival. */
export class Mutex implements SerialQueue {
  #tail: Promise<void> = Promise.resolve();
  #pending = 0;
  /** Called when more work arrives. */
  #onContention: () => void = NO_LISTENER;

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(work);
    this.#pending += 1;
    const decrement = () => void (this.#pending -= 1);
    // Its caller handles the error; the next piece of work does not depend on it.
    this.#tail = result.then(decrement, decrement);
    this.#onContention();
    return result;
  }

  /**
   * Reserves the mutex for one caller, if nothing runs and nobody waits. `onContention` is called once, when the first of
   * the others begins to wait.
   */
  reserve(onContention: () => void): MutexReservation | undefined {
    if (this.#pending > 0) return undefined;
    const inner = new Mutex();
    const { promise, resolve } = Promise.withResolvers<void>();
    void this.run(() => promise);
    const isContended = () => this.#pending > 1;
    this.#onContention = () => {
      this.#onContention = NO_LISTENER;
      onContention();
    };
    return {
      run: (work) => inner.run(work),
      get isContended() {
        return isContended();
      },
      release: () => {
        this.#onContention = NO_LISTENER;
        void inner.run(async () => resolve());
      },
    };
  }
}
