import { type Automaton, childOf, slotOf } from './automaton.ts';

/** Shallower states are left to the filter, which skips most positions without the automaton. */
const SHALLOW = 4;

/**
 * Finds values in a stream. Every byte is examined a bounded number of times, and most bytes of an ordinary log are skipped.
 */
export class Scanner {
  readonly #automaton: Automaton;
  #state = 0;
  /** Total bytes read. */
  #read = 0;

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
  }

  get read(): number {
    return this.#read;
  }

  /** The earliest position at which an unfinished value may have begun. */
  get open(): number {
    return this.#read - this.#automaton.depth[this.#state]!;
  }

  /** Calls `found` with the ranges [from, to) of values, ordered by their ends. Each end is reported with its longest match. */
  scan(chunk: Buffer, onMatch: (from: number, to: number) => void): void {
    const trie = this.#automaton;
    const { depth } = trie;
    let state = this.#state;
    for (let at = 0; at < chunk.length; ) {
      if (state === 0) {
        at = skipToCandidate(trie, chunk, at);
        if (at >= chunk.length) break;
      }
      const byte = chunk[at]!;
      at += 1;
      let next = childOf(trie, state, byte);
      const failed = next === 0;
      while (next === 0 && state !== 0) {
        state = trie.fail[state]!;
        next = childOf(trie, state, byte);
      }
      state = next;
      const length = trie.match_length[state]!;
      if (length > 0) onMatch(this.#read + at - length, this.#read + at);
      else if (failed && depth[state]! < SHALLOW && at >= depth[state]!) {
        at -= depth[state]!;
        state = 0;
        if (at < chunk.length) continue;
      }
    }
    this.#state = state;
    this.#read += chunk.length;
  }
}

/** Returns the next position at which a value may begin. Near the end of the chunk, that is every position. */
function skipToCandidate({ probe, shift }: Automaton, chunk: Buffer, from: number): number {
  let at = from;
  const last = chunk.length - probe;
  while (at <= last) {
    const end = at + probe;
    const word = chunk[end - 4]! | (chunk[end - 3]! << 8) | (chunk[end - 2]! << 16) | (chunk[end - 1]! << 24);
    const step = shift[slotOf(word)]!;
    if (step === 0) return at;
    at += step;
  }
  return at;
}
