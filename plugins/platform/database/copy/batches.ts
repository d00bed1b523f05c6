import type { CopiedRow } from '../contract/copies.ts';

/** About how many rows and bytes a copy holds in memory at a time. */
const MAX_ROWS = 500;
const MAX_BYTES = 1024 * 1024;

/** Groups the rows of a table into batches, so that copying a table of any size takes the same memory. */
export async function* inBatches(
  rows: Iterable<CopiedRow> | AsyncIterable<CopiedRow>,
): AsyncGenerator<CopiedRow[], void, undefined> {
  let batch: CopiedRow[] = [];
  let bytes = 0;
  for await (const row of rows) {
    batch.push(row);
    for (const value of row) bytes += typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 8;
    if (batch.length < MAX_ROWS && bytes < MAX_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
