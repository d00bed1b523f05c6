import { MASK, type MaskStream, MIN_MASKED_BYTES } from '../contract.ts';
import type { Automaton } from './automaton.ts';
import { Scanner } from './scanner.ts';
import { WrappedScanner } from './wrapped-scanner.ts';

const MASK_BYTES = Buffer.from(MASK);

/** A range [from, to) of the stream that must not be shown. */
interface Region {
  from: number;
  to: number;
  /** True when its mask has been returned. The region may still grow. */
  emitted: boolean;
}

/** A masked stream. Overlapping matches become one region, so that no part of a value stays visible. */
export class MaskedStream implements MaskStream {
  readonly #scanner: Scanner;
  readonly #wrapped: WrappedScanner;
  /** The bytes that have not been returned yet, starting at position `#out`. */
  #buffered: Buffer[] = [];
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
    if (this.#buffered.length === 0 && this.#regions.length === 0 && open === read) {
      this.#out = read;
      return chunk;
    }
    if (chunk.length > 0) this.#buffered.push(chunk);
    return this.#release(open);
  }

  flush(): Buffer {
    const { read } = this.#scanner;
    const open = this.#open();
    const certain = this.#release(open);
    // The remaining bytes are almost certainly the beginning of a value.
    if (read - Math.max(open, this.#out) >= MIN_MASKED_BYTES) this.#add(open, read);
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
      // Matches that end before this chunk were reported when the earlier chunk was scanned.
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
    const region: Region = { from, to, emitted: false };
    for (let last = this.#regions.at(-1); last !== undefined && last.to > from; last = this.#regions.at(-1)) {
      region.from = Math.min(region.from, last.from);
      region.to = Math.max(region.to, last.to);
      region.emitted ||= last.emitted;
      this.#regions.pop();
    }
    this.#regions.push(region);
  };

  /** Returns everything before `limit`, with masks for the regions that begin there, whose starts are final. */
  #release(limit: number): Buffer {
    const output: Buffer[] = [];
    while (this.#regions.length > 0 && this.#regions[0]!.from <= limit) {
      const region = this.#regions[0]!;
      if (region.from > this.#out) output.push(...this.#consume(region.from - this.#out));
      if (!region.emitted) output.push(MASK_BYTES);
      region.emitted = true;
      if (region.to > this.#out) this.#consume(region.to - this.#out);
      // The region stays, because it may still grow.
      if (region.to > limit) break;
      this.#regions.shift();
    }
    if (limit > this.#out) output.push(...this.#consume(limit - this.#out));
    return output.length === 1 ? output[0]! : Buffer.concat(output);
  }

  /** Removes the next bytes from the buffer and returns them. */
  #consume(count: number): Buffer[] {
    const chunks: Buffer[] = [];
    this.#out += count;
    let remaining = count;
    let consumed = 0;
    for (const piece of this.#buffered) {
      if (piece.length > remaining) break;
      chunks.push(piece);
      remaining -= piece.length;
      consumed += 1;
    }
    this.#buffered.splice(0, consumed);
    if (remaining > 0) {
      chunks.push(this.#buffered[0]!.subarray(0, remaining));
      this.#buffered[0] = this.#buffered[0]!.subarray(remaining);
    }
    return chunks;
  }
}
