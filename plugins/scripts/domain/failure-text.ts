/** How much of a script's last words goes into the message of a failed run, in code points. */
export const TAIL_LENGTH = 4000;
/** Kept while the script runs: four bytes a code point, and room for what is trimmed. */
const KEPT_BYTES = 32 * 1024;

/** Keeps the last bytes of a stream in bounded memory. */
export class Tail {
  #chunks: Buffer[] = [];
  #size = 0;

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    while (this.#size - this.#chunks[0]!.length >= KEPT_BYTES) {
      this.#size -= this.#chunks.shift()!.length;
    }
    // Many tiny chunks weigh more than their bytes.
    if (this.#chunks.length > 1024) this.#chunks = [Buffer.concat(this.#chunks)];
  }

  /** The last `TAIL_LENGTH` code points, without what no database holds. */
  text(): string {
    return tailOf(Buffer.concat(this.#chunks).toString('utf8'));
  }
}

/** The last `TAIL_LENGTH` code points of a text, without what no database holds. */
export const tailOf = (text: string): string =>
  Array.from(text.slice(-KEPT_BYTES).replaceAll('\0', '').trimEnd()).slice(-TAIL_LENGTH).join('');

/** `exit code 3` or `signal SIGSEGV`. */
export function howItEnded(end: { exit_code: number | null; signal: string | null }): string {
  return end.signal === null ? `exit code ${end.exit_code}` : `signal ${end.signal}`;
}
