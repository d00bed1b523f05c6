/** Longer lines are read a few at a time. */
const SHORT_BYTES = 16 * 1024;
/** Unfinished lines of all callers that are short so far; when there is more, those too are read a few at a time. */
const ALL_SHORT_BYTES = 32 * 1024 * 1024;
const LONG_AT_ONCE = 4;
/** Answers that callers of one pass have not read. */
const UNREAD_BYTES = 256 * 1024 * 1024;
/** What callers have sent whole and wait with for an answer; while there is more, no further long request is read. */
const SERVED_BYTES = 128 * 1024 * 1024;
/** Such inputs wait for nothing: the command of a step may write a note, and the others wait for that step. */
const SMALL_INPUT_BYTES = 64 * 1024;

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
  /** In the order in which they came: callers that send what they were asked for, and callers that ask. */
  readonly #waiting = new Set<LineReader>();
  readonly #asking = new Set<LineReader>();
  /** Inputs that wait to be asked for. */
  readonly #inputs: { bytes: number; take: () => void }[] = [];
  #short_bytes = 0;
  #unread_bytes = 0;
  #served_bytes = 0;

  /**
   * After each chunk: how much of a line is there that is not whole. With `asks` it is a new request; what a request that is
   * served already waits for does not wait for room, or nothing would ever be answered.
   */
  holds(reader: LineReader, bytes: number, asks: boolean): void {
    if (this.#long.has(reader) && bytes > SHORT_BYTES) return;
    this.#forget(reader);
    if (bytes > 0) {
      this.#short.set(reader, bytes);
      this.#short_bytes += bytes;
      if (bytes > SHORT_BYTES || this.#short_bytes > ALL_SHORT_BYTES) {
        (asks ? this.#asking : this.#waiting).add(reader);
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

  /** A request is whole. Answers what to call once it is answered. */
  serves(bytes: number): () => void {
    if (bytes <= SHORT_BYTES) return () => undefined;
    this.#served_bytes += bytes;
    return () => {
      this.#served_bytes -= bytes;
      this.#admit();
    };
  }

  /** Resolves when there is room for an input of a request that is served, to what to call once it is no longer held. */
  async input(bytes: number): Promise<() => void> {
    if (bytes <= SMALL_INPUT_BYTES) return () => undefined;
    if (this.#inputs.length > 0 || !this.#fits(bytes))
      await new Promise<void>((take) => void this.#inputs.push({ bytes, take }));
    else this.#served_bytes += bytes;
    return () => {
      this.#served_bytes -= bytes;
      this.#admit();
    };
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
    this.#asking.delete(reader);
    this.#short_bytes -= this.#short.get(reader) ?? 0;
    this.#short.delete(reader);
  }

  #fits(bytes: number): boolean {
    return this.#served_bytes === 0 || this.#served_bytes + bytes <= SERVED_BYTES;
  }

  #admit(): void {
    for (let next = this.#inputs[0]; next !== undefined && this.#fits(next.bytes); next = this.#inputs[0]) {
      this.#inputs.shift();
      this.#served_bytes += next.bytes;
      next.take();
    }
    for (const reader of this.#waiting) if (!this.#read(reader)) return;
    if (this.#served_bytes >= SERVED_BYTES) return;
    for (const reader of this.#asking) if (!this.#read(reader)) return;
  }

  #read(reader: LineReader): boolean {
    if (this.#long.size >= LONG_AT_ONCE) return false;
    this.#forget(reader);
    this.#long.add(reader);
    reader.resume();
    return true;
  }
}
