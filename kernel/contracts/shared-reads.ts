import { chunks } from './statements.ts';

interface Asked<V> {
  readonly promise: Promise<V | undefined>;
  resolve(value: V | undefined): void;
  reject(error: unknown): void;
}

/**
 * Reads of rows by a key, each asked for by itself: those of one turn of the event loop go to the database together, and
 * the same key once. Whoever asks sees all that was committed before. Not for reads within a transaction.
 */
export class SharedReads<V> {
  readonly #read: (keys: string[]) => Promise<ReadonlyMap<string, V>>;
  #asked = new Map<string, Asked<V>>();

  /** `read` gets at most 128 keys; what it leaves out does not exist. */
  constructor(read: (keys: string[]) => Promise<ReadonlyMap<string, V>>) {
    this.#read = read;
  }

  of(key: string): Promise<V | undefined> {
    const known = this.#asked.get(key);
    if (known) return known.promise;
    if (this.#asked.size === 0) setImmediate(() => void this.#flush());
    const asked = Promise.withResolvers<V | undefined>();
    this.#asked.set(key, asked);
    return asked.promise;
  }

  /** Never rejects: every fault is passed to those who asked. */
  async #flush(): Promise<void> {
    const asked = this.#asked;
    this.#asked = new Map();
    await Promise.all(chunks([...asked]).map((some) => this.#answer(some)));
  }

  async #answer(some: readonly (readonly [string, Asked<V>])[]): Promise<void> {
    try {
      const found = await this.#read(some.map(([key]) => key));
      for (const [key, { resolve }] of some) resolve(found.get(key));
    } catch (error) {
      // One of several may be to blame.
      if (some.length > 1) await Promise.all(some.map((one) => this.#answer([one])));
      else for (const [, { reject }] of some) reject(error);
    }
  }
}
