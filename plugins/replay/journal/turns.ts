/** Lets one piece of work run at a time, in the order in which they came. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  take<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.then(
      () => undefined,
      // Its caller has the error; the next turn does not depend on it.
      () => undefined,
    );
    return result;
  }
}
