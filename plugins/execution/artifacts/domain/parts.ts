import type { ByteRange } from './ranges.ts';

/**
 * Content is stored in consecutive parts of at most this size. A part never changes. After a broken upload, the
 * stored bytes are its first parts; at most one part is held in memory.
 */
export const PART_BYTES = 8 * 1024 * 1024;

/** A connection that keeps breaking leaves small parts; at this number the upload starts over. */
export const MAX_PARTS = 16_384;

/** A stored part: the epoch of the upload that wrote it, and its size. Its number is its position in the list. */
export type Part = readonly [epoch: number, size: number];

/** Returns the name of a part within its content, which two writers never share. */
export const partName = (epoch: number, n: number): string => `${epoch}-${n}`;

export const partNames = (parts: readonly Part[]): string[] => parts.map(([epoch], n) => partName(epoch, n));

export const totalBytes = (parts: readonly Part[]): number => parts.reduce((sum, [, size]) => sum + size, 0);

/** Yields the ranges within parts that make up a range of the content. */
export function* sliceParts(parts: readonly Part[], range: ByteRange): Generator<ByteRange & { name: string }> {
  let start = 0;
  for (const [n, [epoch, size]] of parts.entries()) {
    const from = Math.max(range.from - start, 0);
    const to = Math.min(range.to - start, size);
    if (from < to) yield { name: partName(epoch, n), from, to };
    start += size;
    if (start >= range.to) return;
  }
}
