/** A second bound of a map, besides the number of its entries. */
export interface Weight<K, V> {
  max_weight: number;
  weigh(value: V, key: K): number;
}

/**
 * A map of at most `max` entries that evicts the least recently used ones. The newest entry always stays, however much it
 * weighs.
 */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #max: number;
  readonly #limit: Weight<K, V> | undefined;
  #weight = 0;
  /** The key that was used last. It is the newest entry already, so that using it again moves nothing. */
  #last: K | undefined;

  constructor(max: number, limit?: Weight<K, V>) {
    this.#max = max;
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined || key === this.#last) return value;
    this.#last = key;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.delete(key);
    this.#last = key;
    this.#entries.set(key, value);
    if (this.#limit) this.#weight += this.#limit.weigh(value, key);
    for (const oldest of this.#entries.keys()) {
      if (!this.#isFull() || this.#entries.size === 1) return;
      this.delete(oldest);
    }
  }

  delete(key: K): void {
    const value = this.#entries.get(key);
    if (value !== undefined && this.#limit) this.#weight -= this.#limit.weigh(value, key);
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }

  #isFull(): boolean {
    return this.#entries.size > this.#max || (this.#limit !== undefined && this.#weight > this.#limit.max_weight);
  }
}
