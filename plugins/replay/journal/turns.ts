/** Where work waits for its turn. */
export interface Queue {
  take<T>(work: () => Promise<T>): Promise<T>;
}

/** Turns that are kept for one caller: its work runs in them, one piece at a time, and everybody else waits. */
export interface KeptTurns extends Queue {
  /** True when somebody else waits. */
  readonly wanted: boolean;
  /** Lets the others go on after what was taken here. Further work is not taken. Safe to call twice. */
  release(): void;
}

const NOBODY = () => undefined;

/** Lets one piece of work run at a time, in the order in which they came. */
export class Turns implements Queue {
  #last: Promise<void> = Promise.resolve();
  #open = 0;
  /** Told when more work comes. */
  #onTaken: () => void = NOBODY;

  take<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#open += 1;
    const over = () => void (this.#open -= 1);
    // Its caller has the error; the next turn does not depend on it.
    this.#last = result.then(over, over);
    this.#onTaken();
    return result;
  }

  /**
   * Keeps all turns from now on for one caller, when nothing runs and nobody waits. `wanted` is called once, when the first
   * of the others begins to wait.
   */
  keep(wanted: () => void): KeptTurns | undefined {
    if (this.#open > 0) return undefined;
    const inner = new Turns();
    const { promise, resolve } = Promise.withResolvers<void>();
    void this.take(() => promise);
    const isWanted = () => this.#open > 1;
    this.#onTaken = () => {
      this.#onTaken = NOBODY;
      wanted();
    };
    return {
      take: (work) => inner.take(work),
      get wanted() {
        return isWanted();
      },
      release: () => {
        this.#onTaken = NOBODY;
        void inner.take(async () => resolve());
      },
    };
  }
}
