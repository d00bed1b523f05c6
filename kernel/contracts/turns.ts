import { yieldToEventLoop } from './yield-to-event-loop.ts';

/**
 * Lets few do at a time what needs much memory, in the order in which they came: reading a document of megabytes, opening it
 * and parsing it. However many ask for one at once, the memory is that of a few.
 */
export class Turns {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** How many work now. */
  get taken(): number {
    return this.#taken;
  }

  /** The turn lasts until the event loop has turned after `work`, so that what was read has been written to its reader. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#taken < this.#most) this.#taken += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      void yieldToEventLoop().then(() => this.#leave());
    }
  }

  /** Whoever waits gets the turn itself, so that nobody who comes meanwhile is first. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken -= 1;
  }
}
