import type { Reader } from '../store/parts.ts';
import { readActivityPlaces } from '../store/run-lists.ts';

/** Names of the activities of one log; what an activity asked for writes under the name of that activity. */
export class LogNames {
  readonly #on: Reader;
  readonly #names = new Map<string, string>();

  constructor(on: Reader) {
    this.#on = on;
  }

  async of(activity_id: string): Promise<string> {
    const known = this.#names.get(activity_id);
    if (known !== undefined) return known;
    const [place] = await readActivityPlaces(this.#on, [activity_id]);
    const name = place?.parent ? await this.of(place.parent) : (place?.name ?? activity_id);
    this.#names.set(activity_id, name);
    return name;
  }
}

/** A longer line is cut into several. */
const LINE_BYTES = 64 * 1024;
const LINE_END = 10;

/** Lines with a mark in front: their time, the name of their writer. A line is given out when it is complete. */
export class MarkedLines {
  readonly #begun = new Map<string, { mark: string; bytes: Buffer }>();

  /** The lines that this chunk completes. A line has the mark of the chunk in which it began. */
  push(writer: string, mark: string, chunk: Buffer): Buffer {
    const begun = this.#begun.get(writer);
    const bytes = begun ? Buffer.concat([begun.bytes, chunk]) : chunk;
    const lines: Buffer[] = [];
    let from = 0;
    const take = (to: number) =>
      lines.push(marked(from === 0 ? (begun?.mark ?? mark) : mark, bytes.subarray(from, to)));
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, from)) {
      take(end);
      from = end + 1;
    }
    for (; bytes.length - from > LINE_BYTES; from += LINE_BYTES) take(from + LINE_BYTES);
    const rest = bytes.subarray(from);
    if (rest.length > 0) this.#begun.set(writer, { mark: from === 0 ? (begun?.mark ?? mark) : mark, bytes: rest });
    else this.#begun.delete(writer);
    return Buffer.concat(lines);
  }

  /** The lines without an end. */
  end(): Buffer {
    const rest = Buffer.concat([...this.#begun.values()].map(({ mark, bytes }) => marked(mark, bytes)));
    this.#begun.clear();
    return rest;
  }
}

const marked = (mark: string, line: Buffer): Buffer => Buffer.concat([Buffer.from(mark), line, Buffer.from('\n')]);
