import { createHash } from 'node:crypto';
import { CopyErrors } from '../../../platform/database/contract.ts';

/** The limit of a line. The largest row that svc stores has a tenth of it. */
const MAX_LINE = 256 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Reads lines, and bytes between them, from a stream and hashes them. */
export class LineReader {
  readonly #source: AsyncIterator<Buffer>;
  readonly #hash = createHash('sha256');
  #buffer: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Returns a line without its line break; undefined at the end. A line is hashed only by `count`. */
  async readLine(): Promise<Buffer | undefined> {
    const pieces: Buffer[] = [];
    for (let length = 0; ; ) {
      if (this.#buffer.length === 0 && !(await this.#fillBuffer())) {
        if (length === 0) return undefined;
        throw CopyErrors.damaged('it ends in the middle of a line');
      }
      const end = this.#buffer.indexOf(NEWLINE);
      const piece = end < 0 ? this.#buffer : this.#buffer.subarray(0, end);
      pieces.push(piece);
      length += piece.length;
      this.#buffer = end < 0 ? Buffer.alloc(0) : this.#buffer.subarray(end + 1);
      if (length > MAX_LINE) throw CopyErrors.damaged('it has a line that is too long for a backup');
      if (end >= 0) return pieces.length === 1 ? piece : Buffer.concat(pieces, length);
    }
  }

  /** Yields exactly this many bytes. */
  async *bytes(count: number): AsyncGenerator<Buffer> {
    for (let remaining = count; remaining > 0; ) {
      if (this.#buffer.length === 0 && !(await this.#fillBuffer()))
        throw CopyErrors.damaged('it ends in the middle of a stored file');
      const piece = this.#buffer.subarray(0, remaining);
      this.#buffer = this.#buffer.subarray(piece.length);
      remaining -= piece.length;
      this.#hash.update(piece);
      yield piece;
    }
  }

  count(readLine: Buffer): void {
    this.#hash.update(readLine).update('\n');
  }

  /** Returns the digest of everything that was hashed so far. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }

  async #fillBuffer(): Promise<boolean> {
    const { value, done } = await this.#source.next();
    if (done) return false;
    this.#buffer = value as Buffer;
    return true;
  }
}
