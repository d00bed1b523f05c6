import { MAX_ROWS_PER_STATEMENT } from '../../../kernel/contracts/index.ts';

export {
  type CopiedRow,
  type CopiedTable,
  type CopiedValue,
  DatabaseCopies,
  type RestoreTarget,
  AfterRestoreHooks,
  type AfterRestore,
  type Snapshot,
} from './contract/copies.ts';
export { CopyErrors } from './contract/copy-errors.ts';
export { syncFile } from './contract/sync-file.ts';

/** The maximum number of reads in flight. */
const MAX_IN_FLIGHT = 2;

interface PendingRead<V> {
  readonly promise: Promise<V | undefined>;
  resolve(value: V | undefined): void;
  reject(error: unknown): void;
}

/**
 * Batches reads of single rows by key: keys that are requested at the same moment, or while reads are in flight, go to the
 * database together, and each key only once. A caller sees everything that was committed before its call. Not for reads
 * within a transaction.
 */
export class SharedReads<V> {
  readonly #read: (keys: string[]) => Promise<ReadonlyMap<string, V>>;
  readonly #max: number;
  readonly #pending = new Map<string, PendingRead<V>>();
  #in_flight = 0;
  #scheduled = false;

  /**
   * `read` gets at most `most` keys, which should be few when rows are large. Keys that it leaves out of its result do not
   * exist.
   */
  constructor(read: (keys: string[]) => Promise<ReadonlyMap<string, V>>, max: number = MAX_ROWS_PER_STATEMENT) {
    this.#read = read;
    this.#max = max;
  }

  get(key: string): Promise<V | undefined> {
    const pending = this.#pending.get(key);
    if (pending) return pending.promise;
    const read = Promise.withResolvers<V | undefined>();
    this.#pending.set(key, read);
    this.#schedule();
    return read.promise;
  }

  #schedule(): void {
    if (this.#scheduled || this.#pending.size === 0 || this.#in_flight >= MAX_IN_FLIGHT) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      void this.#runBatch();
    });
  }

  /** Never rejects: every error is passed to the callers. */
  async #runBatch(): Promise<void> {
    const batch = [...this.#pending].slice(0, this.#max);
    for (const [key] of batch) this.#pending.delete(key);
    this.#in_flight += 1;
    this.#schedule();
    await this.#resolveBatch(batch);
    this.#in_flight -= 1;
    this.#schedule();
  }

  async #resolveBatch(batch: readonly (readonly [string, PendingRead<V>])[]): Promise<void> {
    try {
      const rows = await this.#read(batch.map(([key]) => key));
      for (const [key, { resolve }] of batch) resolve(rows.get(key));
    } catch (error) {
      // A single key may have caused the error, so each is tried alone.
      if (batch.length > 1) await Promise.all(batch.map((one) => this.#resolveBatch([one])));
      else for (const [, { reject }] of batch) reject(error);
    }
  }
}
