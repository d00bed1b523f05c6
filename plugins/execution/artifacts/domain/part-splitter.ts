/**
 * Splits a stream into parts. If the stream breaks, the current part ends there, because what has arrived is worth
 * storing; `failure` then says why.
 */
export class PartSplitter {
  readonly #source: AsyncIterator<Buffer>;
  readonly #onBytes: (chunk: Buffer) => void;
  #remainder: Buffer | undefined;
  #ended = false;
  failure: unknown;

  /** `seen` receives each byte once, in order. */
  constructor(source: AsyncIterable<Buffer>, onBytes: (chunk: Buffer) => void) {
    this.#source = source[Symbol.asyncIterator]();
    this.#onBytes = onBytes;
  }

  /** Waits for more data, and returns whether there is any for another part. */
  async hasMore(): Promise<boolean> {
    while (this.#remainder === undefined && !this.#ended) await this.#pull();
    return this.#remainder !== undefined;
  }

  /** Yields at most `limit` bytes. It must be read to its end before the next part. */
  async *nextPart(limit: number): AsyncGenerator<Buffer, void> {
    for (let remaining = limit; remaining > 0 && (await this.hasMore()); ) {
      const chunk = this.#remainder!.subarray(0, remaining);
      this.#remainder = chunk.length < this.#remainder!.length ? this.#remainder!.subarray(chunk.length) : undefined;
      remaining -= chunk.length;
      this.#onBytes(chunk);
      yield chunk;
    }
  }

  async #pull(): Promise<void> {
    try {
      const { done, value } = await this.#source.next();
      if (done) this.#ended = true;
      else if (value.length > 0) this.#remainder = value;
    } catch (error) {
      this.failure = error;
      this.#ended = true;
    }
  }
}
