import { MASK, type MaskStream, MIN_MASKED_LENGTH } from '../contract.ts';
import type { Automaton } from './automaton.ts';
import { Scanner } from './scanner.ts';
import { WrappedScanner } from './wrapped-scanner.ts';

const MASK_BYTES = Buffer.from(MASK);

/** A range [from, to) of the stream that must not be shown. */
interface Region {
  from: number;
  to: number;
  /** Its mask was returned already; the region may still grow. */
  begun: boolean;
}

/** One masked stream. Overlapping matches become one region, so that no part of a value stays visible. */
export class MaskedStream implements MaskStream {
  readonly #scanner: Scanner;
  readonly #wrapped: WrappedScanner;
  /** Bytes that arrived and were not returned yet, starting at position `#out`. */
  #held: Buffer[] = [];
  #out = 0;
  /** Sorted regions without overlap. */
  #regions: Region[] = [];

  constructor(automaton: Automaton) {
    this.#scanner = new Scanner(automaton);
    this.#wrapped = new WrappedScanner(automaton);
  }

  push(chunk: Buffer): Buffer {
    this.#scan(chunk);
    const { read } = this.#scanner;
    const open = this.#open();
    if (this.#held.length === 0 && this.#regions.length === 0 && open === read) {
      this.#out = read;
      return chunk;
    }
    if (chunk.length > 0) this.#held.push(chunk);
    return this.#release(open);
  }

  settle(): Buffer {
    const { read } = this.#scanner;
    const open = this.#open();
    const certain = this.#release(open);
    // The remaining bytes are almost certainly the beginning of a value.
    if (read - Math.max(open, this.#out) >= MIN_MASKED_LENGTH) this.#add(open, read);
    return Buffer.concat([certain, this.#release(read)]);
  }

  end(): Buffer {
    return this.#release(this.#scanner.read);
  }

  #open(): number {
    return Math.min(this.#scanner.open, this.#wrapped.open);
  }

  #scan(chunk: Buffer): void {
    const before = this.#scanner.read;
    const wrapped: { from: number; to: number }[] = [];
    this.#wrapped.scan(chunk, (from, to) => {
      // Of a line that began earlier, all that ended there was found then.
      if (to > before) wrapped.push({ from, to });
    });
    if (wrapped.length === 0) return this.#scanner.scan(chunk, this.#add);
    let next = 0;
    this.#scanner.scan(chunk, (from, to) => {
      for (; next < wrapped.length && wrapped[next]!.to <= to; next += 1)
        this.#add(wrapped[next]!.from, wrapped[next]!.to);
      this.#add(from, to);
    });
    for (const { from, to } of wrapped.slice(next)) this.#add(from, to);
  }

  readonly #add = (from: number, to: number): void => {
    const region: Region = { from, to, begun: false };
    for (let last = this.#regions.at(-1); last !== undefined && last.to > from; last = this.#regions.at(-1)) {
      region.from = Math.min(region.from, last.from);
      region.to = Math.max(region.to, last.to);
      region.begun ||= last.begun;
      this.#regions.pop();
    }
    this.#regions.push(region);
  };

  /** Everything before `limit`, with masks for the regions that begin there. The ends of these regions are final. */
  #release(limit: number): Buffer {
    const parts: Buffer[] = [];
    while (this.#regions.length > 0 && this.#regions[0]!.from <= limit) {
      const region = this.#regions[0]!;
      if (region.from > this.#out) parts.push(...this.#take(region.from - this.#out));
      if (!region.begun) parts.push(MASK_BYTES);
      region.begun = true;
      if (region.to > this.#out) this.#take(region.to - this.#out);
      // Kept because it may still grow.
      if (region.to > limit) break;
      this.#regions.shift();
    }
    if (limit > this.#out) parts.push(...this.#take(limit - this.#out));
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  /** The next bytes from the held ones. */
  #take(count: number): Buffer[] {
    const taken: Buffer[] = [];
    this.#out += count;
    let left = count;
    let whole = 0;
    for (const piece of this.#held) {
      if (piece.length > left) break;
      taken.push(piece);
      left -= piece.length;
      whole += 1;
    }
    this.#held.splice(0, whole);
    if (left > 0) {
      taken.push(this.#held[0]!.subarray(0, left));
      this.#held[0] = this.#held[0]!.subarray(left);
    }
    return taken;
  }
}
