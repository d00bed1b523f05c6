/** A longer line is cut into several. */
const MAX_LINE_BYTES = 64 * 1024;
/** Lines of all writers that have no end yet have so many bytes together: beyond it the line that was begun first is cut. */
const MAX_INCOMPLETE_BYTES = 1024 * 1024;
const LINE_END = 10;

/** A line, and what is said of it: the mark of the chunk in which it began. */
export interface Line<M> {
  mark: M;
  text: Buffer;
}

/** Whole lines of several writers: each is given out when it is complete, without its end. */
export class LineBuffer<M> {
  readonly #begun = new Map<string, { mark: M; bytes: Buffer }>();
  #bytes = 0;

  /**
   * The lines that this chunk completes, made one at a time: a chunk of empty lines has thousands of times as many as a reader
   * takes at once.
   */
  push(writer: string, mark: M, chunk: Buffer): Iterable<Line<M>> {
    const begun = this.#take(writer);
    const bytes = begun ? Buffer.concat([begun.bytes, chunk]) : chunk;
    const whole = bytes.lastIndexOf(LINE_END) + 1;
    const cuts: number[] = [];
    let from = whole;
    while (bytes.length - from > MAX_LINE_BYTES) {
      from = findCharacterStart(bytes, from + MAX_LINE_BYTES);
      cuts.push(from);
    }
    const first = begun?.mark ?? mark;
    const rest = bytes.subarray(from);
    if (rest.length > 0) this.#keep(writer, { mark: from === 0 ? first : mark, bytes: rest });
    return linesOf(bytes, { whole, cuts, first, mark }, this.#cutOldest());
  }

  /** The line of one writer that has no end yet. */
  close(writer: string): Line<M>[] {
    const begun = this.#take(writer);
    return begun ? [{ mark: begun.mark, text: begun.bytes }] : [];
  }

  /** The lines without an end. */
  end(): Line<M>[] {
    return [...this.#begun.keys()].flatMap((writer) => this.close(writer));
  }

  #keep(writer: string, { mark, bytes }: { mark: M; bytes: Buffer }): void {
    this.#bytes += bytes.length;
    // A copy: a few bytes would keep all of their chunk.
    this.#begun.set(writer, { mark, bytes: Buffer.from(bytes) });
  }

  #take(writer: string): { mark: M; bytes: Buffer } | undefined {
    const begun = this.#begun.get(writer);
    this.#bytes -= begun?.bytes.length ?? 0;
    this.#begun.delete(writer);
    return begun;
  }

  #cutOldest(): Line<M>[] {
    const cut: Line<M>[] = [];
    for (const writer of this.#begun.keys()) {
      if (this.#bytes <= MAX_INCOMPLETE_BYTES) break;
      cut.push(...this.close(writer));
    }
    return cut;
  }
}

interface Places<M> {
  /** So many bytes are whole lines. */
  whole: number;
  /** Where the line without an end behind them is cut. */
  cuts: readonly number[];
  /** The mark of the first line; the others have the one of their chunk. */
  first: M;
  mark: M;
}

function* linesOf<M>(
  bytes: Buffer,
  { whole, cuts, first, mark }: Places<M>,
  others: readonly Line<M>[],
): Generator<Line<M>> {
  let from = 0;
  const line = (to: number): Line<M> => ({ mark: from === 0 ? first : mark, text: bytes.subarray(from, to) });
  while (from < whole) {
    const end = bytes.indexOf(LINE_END, from);
    yield line(end);
    from = end + 1;
  }
  for (const to of cuts) {
    yield line(to);
    from = to;
  }
  yield* others;
}

/** A place at most three bytes before this one that cuts no character of UTF-8; other bytes are cut where they are. */
function findCharacterStart(bytes: Buffer, at: number): number {
  for (let place = at; place > at - 4; place--) if ((bytes[place]! & 0xc0) !== 0x80) return place;
  return at;
}
