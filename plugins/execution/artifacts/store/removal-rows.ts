import { insertRows, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { RunScope } from './file-rows.ts';
import { releaseBytes, type ReleasedBytes } from './usage.ts';

/** Parts to remove from a store. */
export interface Removal {
  removal_id: string;
  store: string;
  blob_id: string;
  names: readonly string[];
  /** Bytes that they occupy of their run's limits until they are removed. */
  bytes: number;
}

const COLUMNS = ['removal_id', 'store', 'blob_id', 'names', 'due', 'run_id', 'project_id', 'untrusted', 'bytes'];

/** Schedules removals. The same transaction must count their bytes. */
export async function insertRemovals(
  on: Pick<Queries, 'write'>,
  { run_id, project_id, untrusted }: Pick<RunScope, 'run_id' | 'project_id'> & { untrusted: number },
  removals: readonly Removal[],
  due: number,
): Promise<void> {
  const rows = removals.map(({ removal_id, store, blob_id, names, bytes }) => [
    removal_id,
    store,
    blob_id,
    JSON.stringify(names),
    due,
    run_id,
    project_id,
    untrusted,
    bytes,
  ]);
  await insertRows(on, 'INSERT INTO artifacts_removals', COLUMNS, rows);
}

export type DueRemoval = Removal & { run_id: string | null; project_id: string | null; untrusted: number };

/** Returns the removals of one store that are due, oldest first. */
export async function listDueRemovals(
  on: Pick<Queries, 'read'>,
  store: string,
  now: number,
  limit: number,
): Promise<DueRemoval[]> {
  const rows = await on.read<Omit<DueRemoval, 'names'> & { names: string }>(
    `SELECT removal_id, store, blob_id, names, run_id, project_id, untrusted, bytes FROM artifacts_removals
     WHERE store = ? AND due <= ? ORDER BY due LIMIT ${Math.trunc(limit)}`,
    [store, now],
  );
  return rows.map((row) => ({ ...row, names: JSON.parse(row.names) as string[], bytes: Number(row.bytes) }));
}

/** Returns when the next removal of a store is due, or undefined. */
export async function readNextDue(on: Pick<Queries, 'read'>, store: string): Promise<number | undefined> {
  const [row] = await on.read<{ due: number | null }>(
    'SELECT MIN(due) AS due FROM artifacts_removals WHERE store = ?',
    [store],
  );
  return row?.due === null || row === undefined ? undefined : Number(row.due);
}

/**
 * Deletes completed removals and stops counting their bytes. Several servers may remove the same parts; the one that
 * deletes the row returns the bytes.
 */
export async function deleteRemovals(tx: Transaction, removals: readonly DueRemoval[]): Promise<void> {
  const released: ReleasedBytes[] = [];
  for (const { removal_id, run_id, project_id, untrusted, bytes } of removals) {
    const deleted = await tx.write('DELETE FROM artifacts_removals WHERE removal_id = ?', [removal_id]);
    if (deleted === 1 && run_id !== null && project_id !== null && bytes > 0)
      released.push({ run_id, project_id, untrusted, bytes });
  }
  await releaseBytes(tx, released);
}

/** Postpones a removal that fails, so that it does not hold up the others. */
export async function postpone(on: Pick<Queries, 'write'>, removal_id: string, due: number): Promise<void> {
  await on.write('UPDATE artifacts_removals SET due = ? WHERE removal_id = ?', [due, removal_id]);
}
