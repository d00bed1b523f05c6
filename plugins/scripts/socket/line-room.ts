/** Longer lines are read a few at a time. */
const SHORT_BYTES = 16 * 1024;
/** Unfinished lines of all callers that are short so far; when there is more, those too are read a few at a time. */
const ALL_SHORT_BYTES = 32 * 1024 * 1024;
const LONG_AT_ONCE = 4;
/** Answers that callers of one pass have not read. */
const UNREAD_BYTES = 256 * 1024 * 1024;

/** A connection whose line is not whole. */
export interface LineReader {
  pause(): void;
  resume(): void;
}

/**
 * The memory that the callers of one pass take from their agent, which works for others too. A program may open thousands of
 * connections and send each the beginning of a long line: all but a few of these wait unread until others are whole.
 */
export class LineRoom {
  readonly #short = new Map<LineReader, number>();
  readonly #long = new Set<LineReader>();
  /** In the order in which they came. */
  readonly #waiting = new Set<LineReader>();
  #short_bytes = 0;
  #unread_bytes = 0;

  /** After each chunk: how much of a line is there that is not whole. */
  holds(reader: LineReader, bytes: number): void {
    if (this.#long.has(reader) && bytes > SHORT_BYTES) return;
    this.#forget(reader);
    if (bytes > 0) {
      this.#short.set(reader, bytes);
      this.#short_bytes += bytes;
      if (bytes > SHORT_BYTES || this.#short_bytes > ALL_SHORT_BYTES) {
        this.#waiting.add(reader);
        reader.pause();
      }
    }
    this.#admit();
  }

  /** Its connection is closed. */
  gone(reader: LineReader): void {
    this.#forget(reader);
    this.#admit();
  }

  /** False when the callers leave too much unread; else `read` is to be called when these bytes are on their way. */
  sends(bytes: number): boolean {
    if (this.#unread_bytes + bytes > UNREAD_BYTES) return false;
    this.#unread_bytes += bytes;
    return true;
  }

  read(bytes: number): void {
    this.#unread_bytes -= bytes;
  }

  #forget(reader: LineReader): void {
    this.#long.delete(reader);
    this.#waiting.delete(reader);
    this.#short_bytes -= this.#short.get(reader) ?? 0;
    this.#short.delete(reader);
  }

  #admit(): void {
    for (const reader of this.#waiting) {
      if (this.#long.size >= LONG_AT_ONCE) return;
      this.#forget(reader);
      this.#long.add(reader);
      reader.resume();
    }
  }
}
