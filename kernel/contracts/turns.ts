import { yieldToEventLoop } from './yield-to-event-loop.ts';

/**
 * Lets few do at a time what needs much memory, in the order in which they came: reading a document of megabytes, opening it
 * and parsing it. However many ask for one at once, the memory is that of a few. Those who wait with different keys take turns.
 */
export class Turns {
  readonly #most: number;
  /** By key, the one whose turn is next first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** How many work now. */
  get taken(): number {
    return this.#taken;
  }

  /** The turn lasts until the event loop has turned after `work`, so that what was read has been written to its reader. */
  async take<T>(work: () => Promise<T>, key = ''): Promise<T> {
    if (this.#taken < this.#most) this.#taken += 1;
    else await new Promise<void>((resolve) => this.#wait(key, resolve));
    try {
      return await work();
    } finally {
      void yieldToEventLoop().then(() => this.#leave());
    }
  }

  #wait(key: string, begin: () => void): void {
    const own = this.#waiting.get(key);
    if (own) own.push(begin);
    else this.#waiting.set(key, [begin]);
  }

  /** Whoever waits gets the turn itself, so that nobody who comes meanwhile is first. */
  #leave(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#taken -= 1;
      return;
    }
    const [key, own] = next;
    const begin = own.shift()!;
    this.#waiting.delete(key);
    if (own.length > 0) this.#waiting.set(key, own);
    begin();
  }
}
