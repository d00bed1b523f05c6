import { inList, insertRows, type Queries } from '../../../kernel/contracts/index.ts';

/** Parts to remove from a store. */
export interface Removal {
  removal_id: string;
  store: string;
  blob_id: string;
  names: readonly string[];
}

const COLUMNS = ['removal_id', 'store', 'blob_id', 'names', 'due'];

export async function insertRemovals(
  on: Pick<Queries, 'write'>,
  removals: readonly Removal[],
  due: number,
): Promise<void> {
  const rows = removals.map(({ removal_id, store, blob_id, names }) => [
    ...[removal_id, store, blob_id, JSON.stringify(names), due],
  ]);
  await insertRows(on, 'INSERT INTO artifacts_removals', COLUMNS, rows);
}

/** Those of one store that are due, oldest first. */
export async function dueRemovals(
  on: Pick<Queries, 'read'>,
  store: string,
  now: number,
  limit: number,
): Promise<Removal[]> {
  const rows = await on.read<Omit<Removal, 'names'> & { names: string }>(
    `SELECT removal_id, store, blob_id, names FROM artifacts_removals WHERE store = ? AND due <= ?
     ORDER BY due LIMIT ${Math.trunc(limit)}`,
    [store, now],
  );
  return rows.map((row) => ({ ...row, names: JSON.parse(row.names) as string[] }));
}

/** When the next of a store is due; undefined when there is none. */
export async function nextRemoval(on: Pick<Queries, 'read'>, store: string): Promise<number | undefined> {
  const [row] = await on.read<{ due: number | null }>(
    'SELECT MIN(due) AS due FROM artifacts_removals WHERE store = ?',
    [store],
  );
  return row?.due === null || row === undefined ? undefined : Number(row.due);
}

export async function forgetRemovals(on: Pick<Queries, 'write'>, removal_ids: readonly string[]): Promise<void> {
  if (removal_ids.length === 0) return;
  const list = inList(removal_ids);
  await on.write(`DELETE FROM artifacts_removals WHERE removal_id IN ${list.marks}`, list.params);
}

/** What cannot be removed now does not stand before the others. */
export async function putOff(on: Pick<Queries, 'write'>, removal_id: string, due: number): Promise<void> {
  await on.write('UPDATE artifacts_removals SET due = ? WHERE removal_id = ?', [due, removal_id]);
}
