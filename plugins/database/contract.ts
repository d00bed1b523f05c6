import { MAX_AT_ONCE } from '../../kernel/contracts/index.ts';

export {
  type CopiedRow,
  type CopiedTable,
  type CopiedValue,
  DatabaseCopies,
  type Filling,
  SettledCopies,
  type SettleCopy,
  type Snapshot,
} from './contract/copies.ts';
export { CopyErrors } from './contract/copy-errors.ts';

/** Reads that are under way at a time. */
const IN_FLIGHT = 2;

interface Asked<V> {
  readonly promise: Promise<V | undefined>;
  resolve(value: V | undefined): void;
  reject(error: unknown): void;
}

/**
 * Reads of rows by a key, each asked for by itself: what is asked for at the same moment, and what comes while reads are
 * under way, goes to the database together, and the same key once. Whoever asks sees all that was committed before. Not for
 * reads within a transaction.
 */
export class SharedReads<V> {
  readonly #read: (keys: string[]) => Promise<ReadonlyMap<string, V>>;
  readonly #most: number;
  readonly #asked = new Map<string, Asked<V>>();
  #in_flight = 0;
  #begins = false;

  /** `read` gets at most so many keys: fewer where rows are large. What it leaves out does not exist. */
  constructor(read: (keys: string[]) => Promise<ReadonlyMap<string, V>>, most: number = MAX_AT_ONCE) {
    this.#read = read;
    this.#most = most;
  }

  of(key: string): Promise<V | undefined> {
    const known = this.#asked.get(key);
    if (known) return known.promise;
    const asked = Promise.withResolvers<V | undefined>();
    this.#asked.set(key, asked);
    this.#begin();
    return asked.promise;
  }

  #begin(): void {
    if (this.#begins || this.#asked.size === 0 || this.#in_flight >= IN_FLIGHT) return;
    this.#begins = true;
    queueMicrotask(() => {
      this.#begins = false;
      void this.#next();
    });
  }

  /** Never rejects: every fault is passed to those who asked. */
  async #next(): Promise<void> {
    const some = [...this.#asked].slice(0, this.#most);
    for (const [key] of some) this.#asked.delete(key);
    this.#in_flight += 1;
    this.#begin();
    await this.#answer(some);
    this.#in_flight -= 1;
    this.#begin();
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
