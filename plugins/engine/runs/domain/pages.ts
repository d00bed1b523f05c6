/** Bytes of output on one page of recorded calls. A page becomes shorter rather than larger. */
export const PAGE_BYTES = 1024 * 1024;

/** How many of the next records fit on a page, at least one; `cut` if some do not. */
export function fitting(
  sizes: readonly number[],
  limit = sizes.length,
  most = PAGE_BYTES,
): { count: number; cut: boolean } {
  let count = 0;
  for (let bytes = 0; count < Math.min(sizes.length, limit); count++) {
    bytes += sizes[count]!;
    if (bytes > most && count > 0) break;
  }
  return { count: Math.max(count, 1), cut: count < sizes.length };
}
