/** What bounds a map beside the number of its entries. */
export interface Weight<K, V> {
  max_weight: number;
  weigh(value: V, key: K): number;
}

/**
 * A map of at most `max` entries. A new entry drops those that were not set or read for the longest time. The newest
 * entry stays, however much it weighs.
 */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #max: number;
  readonly #by: Weight<K, V> | undefined;
  #weight = 0;
  /** The one that was set or read last stands last already. */
  #last: K | undefined;

  constructor(max: number, by?: Weight<K, V>) {
    this.#max = max;
    this.#by = by;
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
    if (this.#by) this.#weight += this.#by.weigh(value, key);
    for (const oldest of this.#entries.keys()) {
      if (!this.#full() || this.#entries.size === 1) return;
      this.delete(oldest);
    }
  }

  delete(key: K): void {
    const value = this.#entries.get(key);
    if (value !== undefined && this.#by) this.#weight -= this.#by.weigh(value, key);
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }

  #full(): boolean {
    return this.#entries.size > this.#max || (this.#by !== undefined && this.#weight > this.#by.max_weight);
  }
}
