/** A task below 50 ms is not felt. The last piece of a slice, a collection of garbage and what is drawn come on top. */
const SLICE_MS = 8;

interface Time {
  now(): number;
  /** Calls back in a task of its own. Answers how to call it off. */
  later(work: () => void): () => void;
}

const ofThePage: Time = {
  now: () => performance.now(),
  later(work) {
    const timer = setTimeout(work);
    return () => clearTimeout(timer);
  },
};

/** Does what it is given in order, and leaves the page room between: very much may come at once. */
export class Slices {
  readonly #time: Time;
  #waiting: (() => void)[] = [];
  #callOff: (() => void) | undefined;

  constructor(time: Time = ofThePage) {
    this.#time = time;
  }

  add(work: () => void): void {
    this.#waiting.push(work);
    this.#callOff ??= this.#time.later(this.#slice);
  }

  /** What was not done yet is forgotten. */
  close(): void {
    this.#callOff?.();
    this.#callOff = undefined;
    this.#waiting = [];
  }

  readonly #slice = (): void => {
    const until = this.#time.now() + SLICE_MS;
    const taken = this.#waiting;
    let done = 0;
    // Ready to go on, also when a piece of work throws.
    try {
      while (taken === this.#waiting && done < taken.length && this.#time.now() < until) taken[done++]!();
    } finally {
      // Closed by what was done: another list.
      if (taken === this.#waiting) {
        this.#waiting = taken.slice(done);
        this.#callOff = this.#waiting.length > 0 ? this.#time.later(this.#slice) : undefined;
      }
    }
  };
}
