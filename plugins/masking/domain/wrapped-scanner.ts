import type { Automaton } from './automaton.ts';
import { Scanner } from './scanner.ts';

/** Where `base64`, PEM and `xxd` break lines. */
export const WIDTHS: readonly number[] = [76, 64, 60];
const LEAST = Math.min(...WIDTHS);
/** With a carriage return. */
const MOST = Math.max(...WIDTHS) + 1;
const [LF, CR] = [10, 13];
const RETURN = Buffer.of(CR);
/** What base64 and hex consist of. */
const ENCODED = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[A-Za-z0-9+/]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

type Found = (from: number, to: number) => void;

/**
 * Finds values in the wrapped lines of encoders, wherever a line breaks them. A line that is as wide as encoders make
 * theirs is joined with the one behind it. All other lines cost a search for their ends.
 */
export class WrappedScanner {
  readonly #automaton: Automaton;
  /** Of the joined lines; undefined outside of them. */
  #joined: Scanner | undefined;
  /** From the joined position `at` on, bytes stand `by` later in the stream. */
  #shifts: { at: number; by: number }[] = [];
  /** A carriage return waits for what follows: before a line feed it belongs to the end of the line. */
  #return = false;
  #read = 0;
  /** The present line so far, while it may become one of full width; and how long it is. */
  #line: Buffer[] = [];
  #width = 0;

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
  }

  /** The earliest position where a value may have begun that has not ended yet. */
  get open(): number {
    return this.#joined === undefined ? this.#read : this.#place(this.#joined.open);
  }

  /** Calls `found` with ranges of the stream, ordered by their ends. */
  scan(chunk: Buffer, found: Found): void {
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(LF, from);
      const to = end < 0 ? chunk.length : end;
      if (end >= 0 && this.#width === 0 && this.#joined === undefined && !fits(to - from)) {
        this.#read += end + 1 - from;
      } else {
        this.#extend(chunk.subarray(from, to), found);
        if (end >= 0) this.#break(found);
      }
      from = to + 1;
    }
  }

  /** More of the present line. */
  #extend(piece: Buffer, found: Found): void {
    this.#read += piece.length;
    this.#width += piece.length;
    if (this.#width <= MOST) this.#line.push(piece);
    else this.#line = [];
    if (this.#joined !== undefined) this.#feed(this.#joined, piece, found);
    // Its line feed may come with the next bytes; until then nothing of a value may be shown.
    else if (piece.at(-1) === CR) this.#beginAt(this.#full(), found);
  }

  /** The end of a line. One of full width goes on in the next. */
  #break(found: Found): void {
    const full = this.#full();
    if (full === undefined) this.#joined = undefined;
    else if (this.#joined === undefined) this.#beginAt(full, found);
    this.#line = [];
    this.#width = 0;
    this.#read += 1;
    if (this.#joined !== undefined) this.#shift(this.#joined);
  }

  /** The present line, if it is one of full width. */
  #full(): Buffer | undefined {
    if (!fits(this.#width)) return undefined;
    const line = this.#line.length === 1 ? this.#line[0]! : Buffer.concat(this.#line);
    const text = withoutReturn(line);
    return WIDTHS.includes(text.length) && isEncoded(text) ? line : undefined;
  }

  #beginAt(line: Buffer | undefined, found: Found): void {
    if (line === undefined) return;
    this.#joined = new Scanner(this.#automaton);
    this.#shifts = [{ at: 0, by: this.#read - line.length }];
    this.#return = false;
    this.#feed(this.#joined, line, found);
  }

  #feed(joined: Scanner, piece: Buffer, found: Found): void {
    if (piece.length === 0) return;
    const place: Found = (from, to) => found(this.#place(from), this.#place(to - 1) + 1);
    if (this.#return) joined.scan(RETURN, place);
    const text = withoutReturn(piece);
    this.#return = text.length < piece.length;
    joined.scan(text, place);
  }

  /** What is joined next stands where the stream is now. Places before every open value are forgotten. */
  #shift(joined: Scanner): void {
    this.#return = false;
    this.#shifts.push({ at: joined.read, by: this.#read - joined.read });
    while (this.#shifts.length > 1 && this.#shifts[1]!.at <= joined.open) this.#shifts.shift();
  }

  /** Where a joined position is in the stream. */
  #place(at: number): number {
    let index = this.#shifts.length - 1;
    while (index > 0 && this.#shifts[index]!.at > at) index -= 1;
    return at + this.#shifts[index]!.by;
  }
}

const fits = (width: number): boolean => width >= LEAST && width <= MOST;

const withoutReturn = (line: Buffer): Buffer => (line.at(-1) === CR ? line.subarray(0, -1) : line);

function isEncoded(text: Buffer): boolean {
  for (let at = 0; at < text.length; at += 1) if (ENCODED[text[at]!] === 0) return false;
  return true;
}
