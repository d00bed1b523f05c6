import { createHash } from 'node:crypto';
import { CopyErrors } from '../../database/contract.ts';

/** The longest line: a row with the largest values that svc stores has a tenth of it. */
const MAX_LINE = 256 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Lines, and bytes between them, of a stream; and the SHA-256 of what was taken. */
export class LineReader {
  readonly #source: AsyncIterator<Buffer>;
  readonly #hash = createHash('sha256');
  #held: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Without its end; undefined when nothing follows. What it is worth for the digest is told with `count`. */
  async line(): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    for (let length = 0; ; ) {
      if (this.#held.length === 0 && !(await this.#more())) {
        if (length === 0) return undefined;
        throw CopyErrors.damaged('it ends in the middle of a line');
      }
      const end = this.#held.indexOf(NEWLINE);
      const piece = end < 0 ? this.#held : this.#held.subarray(0, end);
      parts.push(piece);
      length += piece.length;
      this.#held = end < 0 ? Buffer.alloc(0) : this.#held.subarray(end + 1);
      if (length > MAX_LINE) throw CopyErrors.damaged('a line in it is longer than any line of a backup');
      if (end >= 0) return parts.length === 1 ? piece : Buffer.concat(parts, length);
    }
  }

  /** Exactly so many bytes. */
  async *bytes(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      if (this.#held.length === 0 && !(await this.#more()))
        throw CopyErrors.damaged('it ends in the middle of a content');
      const piece = this.#held.subarray(0, left);
      this.#held = this.#held.subarray(piece.length);
      left -= piece.length;
      this.#hash.update(piece);
      yield piece;
    }
  }

  count(line: Buffer): void {
    this.#hash.update(line).update('\n');
  }

  /** Of all that was counted so far. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#source.next();
    if (done) return false;
    this.#held = value as Buffer;
    return true;
  }
}
