/** A path of the agent, and what its author calls it. */
export interface PathLabel {
  path: string;
  shown: string;
}

const NONE = Buffer.alloc(0);
const AS_ADDRESS = Buffer.from('file://');

/**
 * Replaces paths of the agent in a stream by the names that authors know, because a script runs from a copy that is
 * removed with its pass. Of two names with the same beginning, the first in the list counts.
 */
export class PathRelabeler {
  readonly #names: readonly { path: Buffer; shown: Buffer }[];
  #pending: Buffer = NONE;

  constructor(names: readonly PathLabel[]) {
    this.#names = names.map(({ path, shown }) => ({ path: Buffer.from(path), shown: Buffer.from(shown) }));
  }

  /** Returns what can be written now. The beginning of a path at the end of a chunk waits for the next chunk. */
  push(data: Buffer): Buffer {
    if (this.#names.length === 0) return data;
    const text = this.#pending.length === 0 ? data : Buffer.concat([this.#pending, data]);
    const chunks: Buffer[] = [];
    let from = 0;
    for (let match = this.#next(text, 0); match; match = this.#next(text, from)) {
      const { at, path, shown } = match;
      // A longer name may still arrive.
      if (this.#beginsAt(text, at) > path.length) break;
      const address = at - AS_ADDRESS.length;
      const begin = address >= from && text.subarray(address, at).equals(AS_ADDRESS) ? address : at;
      chunks.push(text.subarray(from, begin), shown);
      from = at + path.length;
    }
    const remaining = text.subarray(from);
    const pending_length = this.#beginning(remaining);
    this.#pending = remaining.subarray(remaining.length - pending_length);
    chunks.push(remaining.subarray(0, remaining.length - pending_length));
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  }

  /** Returns what was held back, when nothing comes after it. */
  flush(): Buffer {
    let text = this.#pending;
    this.#pending = NONE;
    for (const { path, shown } of this.#names)
      if (text.subarray(0, path.length).equals(path)) text = Buffer.concat([shown, text.subarray(path.length)]);
    return text;
  }

  /** Finds the first path in the text; of several at one position, the first in the list. */
  #next(text: Buffer, from: number): { at: number; path: Buffer; shown: Buffer } | undefined {
    let first: { at: number; path: Buffer; shown: Buffer } | undefined;
    for (const { path, shown } of this.#names) {
      const at = text.indexOf(path, from);
      if (at >= 0 && (first === undefined || at < first.at)) first = { at, path, shown };
    }
    return first;
  }

  /** Returns the length of the longest path of which the rest of the text is only the beginning, or 0. */
  #beginsAt(text: Buffer, at: number): number {
    const rest = text.subarray(at);
    const candidates = this.#names.filter(
      ({ path }) => path.length > rest.length && path.subarray(0, rest.length).equals(rest),
    );
    return Math.max(0, ...candidates.map(({ path }) => path.length));
  }

  /** Returns how many bytes at the end may be the beginning of a path. */
  #beginning(text: Buffer): number {
    const longest = Math.max(...this.#names.map(({ path }) => path.length));
    for (let length = Math.min(text.length, longest - 1); length > 0; length -= 1)
      if (this.#beginsAt(text, text.length - length) > 0) return length;
    return 0;
  }
}
