/** A path of the agent, and what its author calls what lies there. */
export interface ShownName {
  path: string;
  shown: string;
}

const NONE = Buffer.alloc(0);
const AS_ADDRESS = Buffer.from('file://');

/**
 * Writes the names that authors know in place of paths of the agent into a stream: a script is run from a copy that goes with
 * its pass. Of two names that begin alike, the one that stands first in the list counts.
 */
export class ShownNames {
  readonly #names: readonly { path: Buffer; shown: Buffer }[];
  #held: Buffer = NONE;

  constructor(names: readonly ShownName[]) {
    this.#names = names.map(({ path, shown }) => ({ path: Buffer.from(path), shown: Buffer.from(shown) }));
  }

  /** What can be written now. The beginning of a path at the end of a chunk waits for the next one. */
  push(data: Buffer): Buffer {
    if (this.#names.length === 0) return data;
    const text = this.#held.length === 0 ? data : Buffer.concat([this.#held, data]);
    const parts: Buffer[] = [];
    let from = 0;
    for (let found = this.#next(text, 0); found; found = this.#next(text, from)) {
      const { at, path, shown } = found;
      // The longer name may still be on its way.
      if (this.#beginsAt(text, at) > path.length) break;
      const address = at - AS_ADDRESS.length;
      const begin = address >= from && text.subarray(address, at).equals(AS_ADDRESS) ? address : at;
      parts.push(text.subarray(from, begin), shown);
      from = at + path.length;
    }
    const rest = text.subarray(from);
    const held = this.#beginning(rest);
    this.#held = rest.subarray(rest.length - held);
    parts.push(rest.subarray(0, rest.length - held));
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  /** What was held back, when nothing comes after it. */
  end(): Buffer {
    let text = this.#held;
    this.#held = NONE;
    for (const { path, shown } of this.#names)
      if (text.subarray(0, path.length).equals(path)) text = Buffer.concat([shown, text.subarray(path.length)]);
    return text;
  }

  /** The first path in the text; of several at one place, the first of the list. */
  #next(text: Buffer, from: number): { at: number; path: Buffer; shown: Buffer } | undefined {
    let first: { at: number; path: Buffer; shown: Buffer } | undefined;
    for (const { path, shown } of this.#names) {
      const at = text.indexOf(path, from);
      if (at >= 0 && (first === undefined || at < first.at)) first = { at, path, shown };
    }
    return first;
  }

  /** The length of the longest path that the text, from this place to its end, is only the beginning of; 0 for none. */
  #beginsAt(text: Buffer, at: number): number {
    const rest = text.subarray(at);
    const open = this.#names.filter(
      ({ path }) => path.length > rest.length && path.subarray(0, rest.length).equals(rest),
    );
    return Math.max(0, ...open.map(({ path }) => path.length));
  }

  /** How many bytes at the end may be the beginning of a path. */
  #beginning(text: Buffer): number {
    const longest = Math.max(...this.#names.map(({ path }) => path.length));
    for (let length = Math.min(text.length, longest - 1); length > 0; length -= 1)
      if (this.#beginsAt(text, text.length - length) > 0) return length;
    return 0;
  }
}
