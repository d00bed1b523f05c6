/** Smaller amounts are not counted, because the number of connections limits them. */
const COUNTED_BYTES = 16 * 1024;

/** What a connection keeps in memory. */
export interface Holder {
  readonly org_id: string;
  /** Bytes of the frame that arrives, of unanswered requests, and of frames that the agent has not read. */
  bufferedBytes(): number;
  /** Breaks the connection, which frees what it holds. */
  terminate(): void;
}

/**
 * Limits the bytes that all connections of agents keep in memory. Agents that do not finish their frames, or do not read, would
 * otherwise exhaust it: an org can have thousands of connections. At the limit, the org with the most bytes loses its connection
 * with the most bytes; its agent connects again and repeats its requests.
 */
export class BufferedBytes {
  readonly #max_bytes: number;
  readonly #holders = new Map<Holder, number>();
  #bytes = 0;

  constructor(max_bytes: number) {
    this.#max_bytes = max_bytes;
  }

  /** Records what a connection holds now. Returns the connections that were broken to make room. */
  track(holder: Holder): Holder[] {
    this.#count(holder);
    if (this.#bytes <= this.#max_bytes) return [];
    // Frames that were read in the meantime are still counted.
    for (const one of [...this.#holders.keys()]) this.#count(one);
    const broken: Holder[] = [];
    while (this.#bytes > this.#max_bytes) {
      const largest = this.#findLargest();
      this.remove(largest);
      broken.push(largest);
      largest.terminate();
    }
    return broken;
  }

  /** Stops counting a connection, because it has ended. */
  remove(holder: Holder): void {
    this.#bytes -= this.#holders.get(holder) ?? 0;
    this.#holders.delete(holder);
  }

  #count(holder: Holder): void {
    this.remove(holder);
    const bytes = holder.bufferedBytes();
    if (bytes <= COUNTED_BYTES) return;
    this.#holders.set(holder, bytes);
    this.#bytes += bytes;
  }

  /** Of the org with the most bytes. */
  #findLargest(): Holder {
    const orgs = new Map<string, number>();
    for (const [{ org_id }, bytes] of this.#holders) orgs.set(org_id, (orgs.get(org_id) ?? 0) + bytes);
    const [org] = [...orgs].reduce((most, one) => (one[1] > most[1] ? one : most));
    return [...this.#holders]
      .filter(([{ org_id }]) => org_id === org)
      .reduce((most, one) => (one[1] > most[1] ? one : most))[0];
  }
}
