/**
 * Cuts a stream into parts. When the stream breaks, the present part ends there: what has arrived is worth storing.
 * `failure` then says why.
 */
export class PartCutter {
  readonly #source: AsyncIterator<Buffer>;
  readonly #seen: (chunk: Buffer) => void;
  #left: Buffer | undefined;
  #ended = false;
  failure: unknown;

  /** `seen` gets each byte once, in order. */
  constructor(source: AsyncIterable<Buffer>, seen: (chunk: Buffer) => void) {
    this.#source = source[Symbol.asyncIterator]();
    this.#seen = seen;
  }

  /** Whether there is anything for another part. Waits for it. */
  async more(): Promise<boolean> {
    while (this.#left === undefined && !this.#ended) await this.#pull();
    return this.#left !== undefined;
  }

  /** At most `limit` bytes. To be read to its end before the next. */
  async *part(limit: number): AsyncGenerator<Buffer, void> {
    for (let room = limit; room > 0 && (await this.more()); ) {
      const chunk = this.#left!.subarray(0, room);
      this.#left = chunk.length < this.#left!.length ? this.#left!.subarray(chunk.length) : undefined;
      room -= chunk.length;
      this.#seen(chunk);
      yield chunk;
    }
  }

  async #pull(): Promise<void> {
    try {
      const { done, value } = await this.#source.next();
      if (done) this.#ended = true;
      else if (value.length > 0) this.#left = value;
    } catch (error) {
      this.failure = error;
      this.#ended = true;
    }
  }
}
