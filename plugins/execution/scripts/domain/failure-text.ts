/** Maximum code points of a script's standard error in the message of a failed run. */
export const TAIL_LENGTH = 4000;
/** Bytes kept while the script runs: four for each code point, and a reserve for what is trimmed. */
const TAIL_BYTES = 32 * 1024;

/** Keeps the last bytes of a stream in bounded memory. */
export class Tail {
  #chunks: Buffer[] = [];
  #size = 0;

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    while (this.#size - this.#chunks[0]!.length >= TAIL_BYTES) {
      this.#size -= this.#chunks.shift()!.length;
    }
    // Many tiny chunks use more memory than their bytes.
    if (this.#chunks.length > 1024) this.#chunks = [Buffer.concat(this.#chunks)];
  }

  /** Returns the last `TAIL_LENGTH` code points, without characters that a database cannot store. */
  text(): string {
    return takeTail(Buffer.concat(this.#chunks).toString('utf8'));
  }
}

/** Returns the last `TAIL_LENGTH` code points of a text, without characters that a database cannot store. */
export const takeTail = (text: string): string =>
  Array.from(text.slice(-TAIL_BYTES).replaceAll('\0', '').trimEnd()).slice(-TAIL_LENGTH).join('');

/** Returns for example `exit code 3` or `signal SIGSEGV`. */
export function describeExit(exit: { exit_code: number | null; signal: string | null }): string {
  return exit.signal === null ? `exit code ${exit.exit_code}` : `signal ${exit.signal}`;
}
