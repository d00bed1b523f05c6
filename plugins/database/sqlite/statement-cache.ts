/**
 * Keeps what was used lately, between `most` and twice as many. Every statement looks here, so a hit writes nothing: what
 * was not used since the newer half began goes when that is full.
 */
export class StatementCache<V> {
  readonly #most: number;
  #newer = new Map<string, V>();
  #older = new Map<string, V>();

  constructor(most: number) {
    this.#most = most;
  }

  get(sql: string): V | undefined {
    const known = this.#newer.get(sql);
    if (known !== undefined) return known;
    const older = this.#older.get(sql);
    if (older !== undefined) this.set(sql, older);
    return older;
  }

  set(sql: string, value: V): void {
    if (this.#newer.size >= this.#most) {
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
