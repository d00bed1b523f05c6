import { yieldToEventLoop } from './yield-to-event-loop.ts';

/**
 * A semaphore for work that needs much memory, such as reading and parsing a document of megabytes: however many callers
 * arrive at once, only a few of them use memory. Callers with the same key are served in order, and the keys round-robin.
 */
export class FairSemaphore {
  readonly #max: number;
  /** The waiting callers by key. The key that is served next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #active = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** The number of callers that work now. */
  get active(): number {
    return this.#active;
  }

  /**
   * Runs `work` when there is room for it. The slot is held until the event loop has run once more afterwards, so that the
   * result has been written to its reader and its memory can be freed.
   */
  async run<T>(work: () => Promise<T>, key = ''): Promise<T> {
    if (this.#active < this.#max) this.#active += 1;
    else await new Promise<void>((resolve) => this.#enqueue(key, resolve));
    try {
      return await work();
    } finally {
      void yieldToEventLoop().then(() => this.#release());
    }
  }

  #enqueue(key: string, start: () => void): void {
    const queue = this.#waiting.get(key);
    if (queue) queue.push(start);
    else this.#waiting.set(key, [start]);
  }

  /** Hands the slot straight to the next waiting caller, so that nobody who arrives meanwhile overtakes it. */
  #release(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#active -= 1;
      return;
    }
    const [key, queue] = next;
    const start = queue.shift()!;
    this.#waiting.delete(key);
    if (queue.length > 0) this.#waiting.set(key, queue);
    start();
  }
}
