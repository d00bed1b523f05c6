import { yieldToEventLoop } from './yield-to-event-loop.ts';

/** How far a search goes: it looks at `rows` rows in a statement, at most `windows` times. */
export interface Reach {
  rows: number;
  windows: number;
}

const REACH: Readonly<Reach> = { rows: 2000, windows: 10 };

/** Rows in the order of an index, the newest first, of which not each need match. `P`: a place in that order. */
export interface Search<R, P> {
  /** Only rows behind it; undefined: from the newest on. */
  before: P | undefined;
  /** How many rows are wanted: one more than a page holds. */
  wanted: number;
  /** The last of the next `rows` rows of the index; undefined where there are not as many. */
  endOf(before: P | undefined, rows: number): Promise<P | undefined>;
  /** At most so many of those that match, up to `from` and with it. */
  read(before: P | undefined, from: P | undefined, most: number): Promise<R[]>;
  /** Whether nothing behind this place can match. */
  isLast?(end: P): boolean;
}

/**
 * Looks window by window, and lets the event loop run in between. `looked_to`: the search ended at this place, and older rows may
 * match. So a page costs no more however many rows there are.
 */
export async function searchInWindows<R, P>(
  search: Search<R, P>,
  reach: Reach = REACH,
): Promise<{ rows: R[]; looked_to?: P }> {
  const rows: R[] = [];
  let { before } = search;
  for (let n = 0; n < reach.windows; n += 1) {
    if (n > 0) await yieldToEventLoop();
    const end = await search.endOf(before, reach.rows);
    rows.push(...(await search.read(before, end, search.wanted - rows.length)));
    if (end === undefined || rows.length >= search.wanted || search.isLast?.(end)) return { rows };
    before = end;
  }
  return before === undefined ? { rows } : { rows, looked_to: before };
}
