const EMPTY = Buffer.alloc(0);
/** Shorter pieces are copied together, because each of them would keep all that was read with it. */
const BLOCK_BYTES = 16 * 1024;

/** Collects pieces of bytes in about as much memory as they have bytes. A list of them would take a kilobyte for each, however short. */
export class BytePieces {
  readonly #blocks: Buffer[] = [];
  /** The only piece so far. Most bodies are one piece, which is not copied. */
  #first: Buffer | undefined;
  #open = EMPTY;
  #used = 0;
  #bytes = 0;

  add(piece: Buffer): void {
    const is_first = this.#bytes === 0;
    this.#bytes += piece.length;
    if (is_first) {
      this.#first = piece;
      return;
    }
    const first = this.#first;
    this.#first = undefined;
    if (first) this.#append(first);
    this.#append(piece);
  }

  concat(): Buffer {
    this.#close();
    return this.#first ?? Buffer.concat(this.#blocks, this.#bytes);
  }

  clear(): void {
    this.#blocks.length = 0;
    this.#first = undefined;
    this.#open = EMPTY;
    this.#used = 0;
    this.#bytes = 0;
  }

  #append(piece: Buffer): void {
    if (piece.length >= BLOCK_BYTES) {
      this.#close();
      this.#blocks.push(piece);
      return;
    }
    if (this.#used + piece.length > this.#open.length) {
      this.#close();
      this.#open = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    }
    this.#used += piece.copy(this.#open, this.#used);
  }

  #close(): void {
    if (this.#used > 0) this.#blocks.push(this.#open.subarray(0, this.#used));
    this.#open = EMPTY;
    this.#used = 0;
  }
}
