import type { Automaton } from './automaton.ts';
import { Scanner } from './scanner.ts';

/** The widths at which `base64`, PEM and `xxd` break lines. */
export const WIDTHS: readonly number[] = [76, 64, 60];
const MIN_WIDTH = Math.min(...WIDTHS);
/** The widest line, including a carriage return. */
const MAX_WIDTH = Math.max(...WIDTHS) + 1;
const [LF, CR] = [10, 13];
const RETURN = Buffer.of(CR);
/** The characters of base64 and hex. */
const ENCODED = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[A-Za-z0-9+/]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

type OnMatch = (from: number, to: number) => void;

/**
 * Finds values in the wrapped lines of encoders, wherever a line break splits them. A line of the width that an encoder uses is
 * joined with the next one. All other lines only cost the search for their ends.
 */
export class WrappedScanner {
  readonly #automaton: Automaton;
  /** The scanner of the joined lines; undefined outside of them. */
  #joined: Scanner | undefined;
  /** From the joined position `at` on, bytes are `by` further in the stream. */
  #shifts: { at: number; by: number }[] = [];
  /** True when a carriage return was read. It belongs to the end of the line if a line feed follows. */
  #return = false;
  #read = 0;
  /** The current line, while it may still become one of full width. */
  #line: Buffer[] = [];
  #width = 0;

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
  }

  /** The earliest position at which an unfinished value may have begun. */
  get open(): number {
    return this.#joined === undefined ? this.#read : this.#streamPosition(this.#joined.open);
  }

  /** Calls `found` with ranges of the stream, ordered by their ends. */
  scan(chunk: Buffer, onMatch: OnMatch): void {
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(LF, from);
      const to = end < 0 ? chunk.length : end;
      if (end >= 0 && this.#width === 0 && this.#joined === undefined && !isPossibleWidth(to - from)) {
        this.#read += end + 1 - from;
      } else {
        this.#extend(chunk.subarray(from, to), onMatch);
        if (end >= 0) this.#endLine(onMatch);
      }
      from = to + 1;
    }
  }

  /** Adds bytes to the current line. */
  #extend(piece: Buffer, onMatch: OnMatch): void {
    this.#read += piece.length;
    this.#width += piece.length;
    if (this.#width <= MAX_WIDTH) this.#line.push(piece);
    else this.#line = [];
    if (this.#joined !== undefined) this.#feed(this.#joined, piece, onMatch);
    // The line feed may come with the next bytes. Until then, nothing of a value must be shown.
    else if (piece.at(-1) === CR) this.#beginAt(this.#fullLine(), onMatch);
  }

  /** Ends the current line. A line of full width continues in the next one. */
  #endLine(onMatch: OnMatch): void {
    const full = this.#fullLine();
    if (full === undefined) this.#joined = undefined;
    else if (this.#joined === undefined) this.#beginAt(full, onMatch);
    this.#line = [];
    this.#width = 0;
    this.#read += 1;
    if (this.#joined !== undefined) this.#shift(this.#joined);
  }

  /** Returns the current line if it has full width. */
  #fullLine(): Buffer | undefined {
    if (!isPossibleWidth(this.#width)) return undefined;
    const line = this.#line.length === 1 ? this.#line[0]! : Buffer.concat(this.#line);
    const text = withoutReturn(line);
    return WIDTHS.includes(text.length) && isEncoded(text) ? line : undefined;
  }

  #beginAt(line: Buffer | undefined, onMatch: OnMatch): void {
    if (line === undefined) return;
    this.#joined = new Scanner(this.#automaton);
    this.#shifts = [{ at: 0, by: this.#read - line.length }];
    this.#return = false;
    this.#feed(this.#joined, line, onMatch);
  }

  #feed(joined: Scanner, piece: Buffer, onMatch: OnMatch): void {
    if (piece.length === 0) return;
    const onJoinedMatch: OnMatch = (from, to) => onMatch(this.#streamPosition(from), this.#streamPosition(to - 1) + 1);
    if (this.#return) joined.scan(RETURN, onJoinedMatch);
    const text = withoutReturn(piece);
    this.#return = text.length < piece.length;
    joined.scan(text, onJoinedMatch);
  }

  /** Records that the next joined bytes come from the current position. Drops shifts before every unfinished value. */
  #shift(joined: Scanner): void {
    this.#return = false;
    this.#shifts.push({ at: joined.read, by: this.#read - joined.read });
    while (this.#shifts.length > 1 && this.#shifts[1]!.at <= joined.open) this.#shifts.shift();
  }

  /** Converts a joined position to a position in the stream. */
  #streamPosition(at: number): number {
    let index = this.#shifts.length - 1;
    while (index > 0 && this.#shifts[index]!.at > at) index -= 1;
    return at + this.#shifts[index]!.by;
  }
}

const isPossibleWidth = (width: number): boolean => width >= MIN_WIDTH && width <= MAX_WIDTH;

const withoutReturn = (line: Buffer): Buffer => (line.at(-1) === CR ? line.subarray(0, -1) : line);

function isEncoded(text: Buffer): boolean {
  for (let at = 0; at < text.length; at += 1) if (ENCODED[text[at]!] === 0) return false;
  return true;
}
