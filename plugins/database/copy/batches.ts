import type { CopiedRow } from '../contract/copies.ts';

/** Rows and bytes that a copy holds at a time, about. */
const MAX_ROWS = 500;
const MAX_BYTES = 1024 * 1024;

/** The rows of a table, some at a time, so that one of any size takes the same memory. */
export async function* inBatches(
  rows: Iterable<CopiedRow> | AsyncIterable<CopiedRow>,
): AsyncGenerator<CopiedRow[], void, undefined> {
  let some: CopiedRow[] = [];
  let bytes = 0;
  for await (const row of rows) {
    some.push(row);
    for (const value of row) bytes += typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 8;
    if (some.length < MAX_ROWS && bytes < MAX_BYTES) continue;
    yield some;
    some = [];
    bytes = 0;
  }
  if (some.length > 0) yield some;
}
