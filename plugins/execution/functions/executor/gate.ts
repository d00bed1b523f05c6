/** A pass's place among those that share a limit. */
export interface Admission {
  /** Resolves when the pass may begin. */
  admitted: Promise<void>;
  /** Must be called at the end of the pass, and when it ends before it may begin. */
  leave(): void;
}

/** Lets at most a number of passes begin, in the order in which they came. */
export class Gate {
  #inside = 0;
  readonly #queue: (() => void)[] = [];

  enter(limit: number | undefined): Admission {
    const admitted = Promise.withResolvers<void>();
    const admit = () => {
      this.#inside += 1;
      admitted.resolve();
    };
    if (limit !== undefined && this.#inside >= limit) this.#queue.push(admit);
    else admit();
    let has_left = false;
    const leave = () => {
      if (has_left) return;
      has_left = true;
      const index = this.#queue.indexOf(admit);
      // A pass that was stopped while it waited has taken no place that another could get.
      if (index >= 0) return void this.#queue.splice(index, 1);
      this.#inside -= 1;
      this.#queue.shift()?.();
    };
    return { admitted: admitted.promise, leave };
  }
}
