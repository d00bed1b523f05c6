/**
 * Caches between `most` and twice as many recently used entries. Every statement looks here, so a hit in the newer half writes
 * nothing. When the newer half is full, entries that were not used since it began are dropped.
 */
export class StatementCache<V> {
  readonly #max: number;
  #newer = new Map<string, V>();
  #older = new Map<string, V>();

  constructor(max: number) {
    this.#max = max;
  }

  get(sql: string): V | undefined {
    const cached = this.#newer.get(sql);
    if (cached !== undefined) return cached;
    const older = this.#older.get(sql);
    if (older !== undefined) this.set(sql, older);
    return older;
  }

  set(sql: string, value: V): void {
    if (this.#newer.size >= this.#max) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(sql, value);
  }

  clear(): void {
    this.#newer.clear();
    this.#older.clear();
  }
}
