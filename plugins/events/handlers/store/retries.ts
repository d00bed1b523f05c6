import { afterRow, insertRows, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';

/** A failed run that is run again at a time. */
export interface PendingRetry extends ProjectScope {
  run_id: string;
  name: string;
  event_id: string;
  type: string;
  /** 1 for the first retry. */
  attempt: number;
  /** Epoch ms. */
  due_at: number;
  /** The group whose runs its handler limits. */
  admission?: string | undefined;
  trusted: boolean;
  /** Whether it is due, and waits for a place of its group. */
  waiting: boolean;
}

interface RetryRow extends Omit<PendingRetry, 'admission' | 'trusted' | 'waiting'> {
  admission: string | null;
  untrusted: number | null;
  waiting: number | null;
}

const COLUMNS = 'project_id run_id org_id name event_id type attempt due_at admission untrusted waiting'.split(' ');
const READ = COLUMNS.join(', ');

const parse = ({ admission, untrusted, waiting, ...row }: RetryRow): PendingRetry => ({
  ...row,
  attempt: Number(row.attempt),
  due_at: Number(row.due_at),
  admission: admission ?? undefined,
  trusted: untrusted === null,
  waiting: waiting !== null,
});

export async function insertRetries(tx: Transaction, retries: readonly PendingRetry[]): Promise<void> {
  const rows = retries.map((retry) => [
    retry.project_id,
    retry.run_id,
    retry.org_id,
    retry.name,
    retry.event_id,
    retry.type,
    retry.attempt,
    retry.due_at,
    retry.admission ?? null,
    retry.trusted ? null : 1,
    retry.waiting ? 1 : null,
  ]);
  await insertRows(tx, 'INSERT INTO handlers_retries', COLUMNS, rows);
}

/** Lists retries that are due, in the order of their times, after one. */
export async function listDueRetries(
  on: Pick<Queries, 'read'>,
  after: PendingRetry | undefined,
  now: number,
  limit: number,
): Promise<PendingRetry[]> {
  const { condition, params } = afterRow(['due_at', 'project_id', 'run_id'], after);
  const rows = await on.read<RetryRow>(
    `SELECT ${READ} FROM handlers_retries WHERE due_at <= ? AND ${condition}
     ORDER BY due_at, project_id, run_id LIMIT ${Math.trunc(limit)}`,
    [now, ...params],
  );
  return rows.map(parse);
}

/** Returns the time of the next retry that becomes due after `now`. */
export async function readNextRetry(on: Pick<Queries, 'read'>, now: number): Promise<number | undefined> {
  const [row] = await on.read<{ due_at: number }>(
    'SELECT due_at FROM handlers_retries WHERE due_at > ? ORDER BY due_at LIMIT 1',
    [now],
  );
  return row && Number(row.due_at);
}

export async function findRetry(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  run_id: string,
): Promise<PendingRetry | undefined> {
  const [row] = await on.read<RetryRow>(`SELECT ${READ} FROM handlers_retries WHERE project_id = ? AND run_id = ?`, [
    project_id,
    run_id,
  ]);
  return row && parse(row);
}

/** Returns false when it was removed before. */
export const removeRetry = async (tx: Transaction, { project_id }: ProjectScope, run_id: string): Promise<boolean> =>
  (await tx.write('DELETE FROM handlers_retries WHERE project_id = ? AND run_id = ?', [project_id, run_id])) === 1;

/** Removes what would be run again for an event, because somebody has run it again. */
export const removeRetriesOfEvent = (
  tx: Transaction,
  { project_id }: ProjectScope,
  { name, event_id }: Pick<PendingRetry, 'name' | 'event_id'>,
): Promise<number> =>
  tx.write('DELETE FROM handlers_retries WHERE project_id = ? AND name = ? AND event_id = ?', [
    project_id,
    name,
    event_id,
  ]);

export const removeRetriesOfHandler = (tx: Transaction, { project_id }: ProjectScope, name: string): Promise<number> =>
  tx.write('DELETE FROM handlers_retries WHERE project_id = ? AND name = ?', [project_id, name]);

/** Lets a retry wait until a time, because it could not start. It keeps no place meanwhile. */
export const postponeRetry = (
  on: Pick<Queries, 'write'>,
  { project_id, run_id }: PendingRetry,
  due_at: number,
): Promise<number> =>
  on.write('UPDATE handlers_retries SET due_at = ?, waiting = NULL WHERE project_id = ? AND run_id = ?', [
    due_at,
    project_id,
    run_id,
  ]);

/** Lets a due retry wait for a place of its group. Without the lock of the project's bus: it only makes deliveries wait. */
export const markRetryWaiting = (
  on: Pick<Queries, 'write'>,
  { project_id, run_id }: Pick<PendingRetry, 'project_id' | 'run_id'>,
): Promise<number> =>
  on.write('UPDATE handlers_retries SET waiting = 1 WHERE project_id = ? AND run_id = ?', [project_id, run_id]);
