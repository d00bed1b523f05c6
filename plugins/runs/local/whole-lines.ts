/** A longer line is cut into several. */
const LINE_BYTES = 64 * 1024;
const LINE_END = 10;

/** A line, and what is said of it: the mark of the chunk in which it began. */
export interface Line<M> {
  mark: M;
  text: Buffer;
}

/** Whole lines of several writers: each is given out when it is complete, without its end. */
export class WholeLines<M> {
  readonly #begun = new Map<string, { mark: M; bytes: Buffer }>();

  /** The lines that this chunk completes. */
  push(writer: string, mark: M, chunk: Buffer): Line<M>[] {
    const begun = this.#begun.get(writer);
    const bytes = begun ? Buffer.concat([begun.bytes, chunk]) : chunk;
    const lines: Line<M>[] = [];
    let from = 0;
    const markOf = () => (from === 0 && begun ? begun.mark : mark);
    const take = (to: number) => lines.push({ mark: markOf(), text: bytes.subarray(from, to) });
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, from)) {
      take(end);
      from = end + 1;
    }
    while (bytes.length - from > LINE_BYTES) {
      const to = beforeCharacter(bytes, from + LINE_BYTES);
      take(to);
      from = to;
    }
    const rest = bytes.subarray(from);
    if (rest.length > 0) this.#begun.set(writer, { mark: markOf(), bytes: rest });
    else this.#begun.delete(writer);
    return lines;
  }

  /** The line of one writer that has no end yet. */
  close(writer: string): Line<M>[] {
    const begun = this.#begun.get(writer);
    this.#begun.delete(writer);
    return begun ? [{ mark: begun.mark, text: begun.bytes }] : [];
  }

  /** The lines without an end. */
  end(): Line<M>[] {
    return [...this.#begun.keys()].flatMap((writer) => this.close(writer));
  }
}

/** A place at most three bytes before this one that cuts no character of UTF-8; other bytes are cut where they are. */
function beforeCharacter(bytes: Buffer, at: number): number {
  for (let place = at; place > at - 4; place--) if ((bytes[place]! & 0xc0) !== 0x80) return place;
  return at;
}
