/** Lines longer than this are read only a few at a time. */
const SHORT_LINE_BYTES = 16 * 1024;
/** The total size of the unfinished short lines of all callers; above it, those too are read only a few at a time. */
const MAX_SHORT_BYTES = 32 * 1024 * 1024;
const MAX_LONG_READERS = 4;
/** The total size of replies that the callers of one pass have not read. */
const MAX_UNREAD_BYTES = 256 * 1024 * 1024;
/** The total size of the requests being served; above it, no further long request is read. */
const MAX_SERVED_BYTES = 128 * 1024 * 1024;
/**
 * Inputs up to this size never wait, because the command of a step may write a note while others wait for that step.
 */
const SMALL_INPUT_BYTES = 64 * 1024;

/** A connection whose current line is incomplete. */
export interface LineReader {
  pause(): void;
  resume(): void;
}

/**
 * Limits the memory that the callers of one pass take from the agent, which also serves other passes. A program may
 * open thousands of connections and send the beginning of a long line on each: all but a few of these stay unread
 * until the others are complete.
 */
export class MemoryBudget {
  readonly #short = new Map<LineReader, number>();
  readonly #long = new Set<LineReader>();
  /** Paused callers in order of arrival: `#waiting` send what they were asked for, and `#asking` send a new request. */
  readonly #paused_replies = new Set<LineReader>();
  readonly #paused_requests = new Set<LineReader>();
  /** Inputs that have not been requested yet. */
  readonly #queued_inputs: { bytes: number; grant: () => void }[] = [];
  #short_bytes = 0;
  #unread_bytes = 0;
  #served_bytes = 0;

  /**
   * Records, after each chunk, how many bytes of an incomplete line are buffered. `asks` marks a new request. What a
   * request already being served waits for is not held back by those requests, or nothing would ever be answered.
   */
  updateLine(reader: LineReader, bytes: number, is_new_request: boolean): void {
    if (this.#long.has(reader) && bytes > SHORT_LINE_BYTES) return;
    this.#remove(reader);
    if (bytes > 0) {
      this.#short.set(reader, bytes);
      this.#short_bytes += bytes;
      if (bytes > SHORT_LINE_BYTES || this.#short_bytes > MAX_SHORT_BYTES) {
        (is_new_request ? this.#paused_requests : this.#paused_replies).add(reader);
        reader.pause();
      }
    }
    this.#admit();
  }

  /** Forgets a connection that was closed. */
  removeReader(reader: LineReader): void {
    this.#remove(reader);
    this.#admit();
  }

  /** Counts a complete request and returns the callback to run once it is answered. */
  reserveRequest(bytes: number): () => void {
    if (bytes <= SHORT_LINE_BYTES) return () => undefined;
    this.#served_bytes += bytes;
    return () => {
      this.#served_bytes -= bytes;
      this.#admit();
    };
  }

  /** Waits until an input of a request being served fits, and returns the callback to run once it is released. */
  async reserveInput(bytes: number): Promise<() => void> {
    if (bytes <= SMALL_INPUT_BYTES) return () => undefined;
    if (this.#queued_inputs.length > 0 || !this.#hasCapacity(bytes))
      await new Promise<void>((take) => void this.#queued_inputs.push({ bytes, grant: take }));
    else this.#served_bytes += bytes;
    return () => {
      this.#served_bytes -= bytes;
      this.#admit();
    };
  }

  /**
   * Returns false when the callers leave too much unread. Otherwise `read` must be called once these bytes were sent.
   */
  reserveUnread(bytes: number): boolean {
    if (this.#unread_bytes + bytes > MAX_UNREAD_BYTES) return false;
    this.#unread_bytes += bytes;
    return true;
  }

  releaseUnread(bytes: number): void {
    this.#unread_bytes -= bytes;
  }

  #remove(reader: LineReader): void {
    this.#long.delete(reader);
    this.#paused_replies.delete(reader);
    this.#paused_requests.delete(reader);
    this.#short_bytes -= this.#short.get(reader) ?? 0;
    this.#short.delete(reader);
  }

  #hasCapacity(bytes: number): boolean {
    return this.#served_bytes === 0 || this.#served_bytes + bytes <= MAX_SERVED_BYTES;
  }

  #admit(): void {
    for (
      let next = this.#queued_inputs[0];
      next !== undefined && this.#hasCapacity(next.bytes);
      next = this.#queued_inputs[0]
    ) {
      this.#queued_inputs.shift();
      this.#served_bytes += next.bytes;
      next.grant();
    }
    for (const reader of this.#paused_replies) if (!this.#resume(reader)) return;
    if (this.#served_bytes >= MAX_SERVED_BYTES) return;
    for (const reader of this.#paused_requests) if (!this.#resume(reader)) return;
  }

  #resume(reader: LineReader): boolean {
    if (this.#long.size >= MAX_LONG_READERS) return false;
    this.#remove(reader);
    this.#long.add(reader);
    reader.resume();
    return true;
  }
}
