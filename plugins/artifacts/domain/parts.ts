import type { ByteRange } from './ranges.ts';

/**
 * Content is stored in parts of at most this size, one after the other. A part never changes. What was stored of a broken
 * upload are its first parts; what is held in memory is at most one.
 */
export const PART_BYTES = 8 * 1024 * 1024;

/** A connection that breaks again and again leaves small parts; with so many the upload begins anew. */
export const MAX_PARTS = 16_384;

/** One stored part: who wrote it (the epoch of its upload) and its size. Its number is its place in the list. */
export type Part = readonly [epoch: number, size: number];

/** The name of a part within its content. Two writers never have the same. */
export const partName = (epoch: number, n: number): string => `${epoch}-${n}`;

export const partNames = (parts: readonly Part[]): string[] => parts.map(([epoch], n) => partName(epoch, n));

export const sizeOf = (parts: readonly Part[]): number => parts.reduce((sum, [, size]) => sum + size, 0);

/** The pieces of parts that make up a range. */
export function* piecesOf(parts: readonly Part[], range: ByteRange): Generator<ByteRange & { name: string }> {
  let start = 0;
  for (const [n, [epoch, size]] of parts.entries()) {
    const from = Math.max(range.from - start, 0);
    const to = Math.min(range.to - start, size);
    if (from < to) yield { name: partName(epoch, n), from, to };
    start += size;
    if (start >= range.to) return;
  }
}
