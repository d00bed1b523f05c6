import { socketRequestInvalid } from '../errors.ts';

const NEWLINE = 0x0a;

/** Splits a byte stream into lines of at most `limit` bytes, each decoded once it is complete. */
export class LineSplitter {
  readonly #limit: number;
  #pending: Buffer[] = [];
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes of the incomplete line. */
  get pending(): number {
    return this.#size;
  }

  /** Returns the lines that `chunk` completes. Throws `socket_request_invalid` if one is too long. */
  add(chunk: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      this.#append(chunk.subarray(from, end));
      lines.push(this.#pending.length === 1 ? this.#pending[0]!.toString() : Buffer.concat(this.#pending).toString());
      this.#pending = [];
      this.#size = 0;
      from = end + 1;
    }
    if (from < chunk.length) this.#append(chunk.subarray(from));
    return lines;
  }

  #append(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > this.#limit) throw socketRequestInvalid(`a line has more than ${this.#limit} bytes`);
    this.#pending.push(piece);
  }
}
