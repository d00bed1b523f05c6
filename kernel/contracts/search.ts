import { yieldToEventLoop } from './yield-to-event-loop.ts';

/** The bounds of a search: it scans at most `windows` windows of `rows` rows each. */
export interface SearchBounds {
  rows: number;
  windows: number;
}

const DEFAULT_BOUNDS: Readonly<SearchBounds> = { rows: 2000, windows: 10 };

/** A search through the rows of an index, newest first, of which only some match. `P` is a position in that order. */
export interface Search<R, P> {
  /** Searches only rows after this position; undefined starts at the newest row. */
  before: P | undefined;
  /** The number of rows to find: one more than a page holds. */
  limit: number;
  /** Returns the position of the last of the next `rows` rows of the index; undefined when there are fewer. */
  endOf(before: P | undefined, rows: number): Promise<P | undefined>;
  /** Reads at most `most` matching rows, up to and including the position `from`. */
  read(before: P | undefined, from: P | undefined, limit: number): Promise<R[]>;
  /** Tells whether no row after this position can match. */
  isLast?(end: P): boolean;
}

/**
 * Searches window by window and yields to the event loop in between, so that a page costs the same however many rows there
 * are. `scanned_to` is set when the search stopped at that position although older rows may match.
 */
export async function searchInWindows<R, P>(
  search: Search<R, P>,
  bounds: SearchBounds = DEFAULT_BOUNDS,
): Promise<{ rows: R[]; scanned_to?: P }> {
  const rows: R[] = [];
  let { before } = search;
  for (let n = 0; n < bounds.windows; n += 1) {
    if (n > 0) await yieldToEventLoop();
    const end = await search.endOf(before, bounds.rows);
    rows.push(...(await search.read(before, end, search.limit - rows.length)));
    if (end === undefined || rows.length >= search.limit || search.isLast?.(end)) return { rows };
    before = end;
  }
  return before === undefined ? { rows } : { rows, scanned_to: before };
}
