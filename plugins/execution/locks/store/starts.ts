import { inKeys, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { LeaseThrottle } from '../contract.ts';

interface GroupRef {
  project_id: string;
  group_key: string;
}

/** Returns when a throttle lets the next lease of a locked group be granted: a time in the past if it does so now. */
export async function readOpening(
  on: Pick<Queries, 'read'>,
  { project_id, group_key }: GroupRef,
  { limit, period_ms }: LeaseThrottle,
): Promise<number> {
  const [row] = await on.read<{ started_at: number }>(
    `SELECT started_at FROM locks_starts WHERE project_id = ? AND group_key = ?
     ORDER BY fence DESC LIMIT 1 OFFSET ${Math.trunc(limit) - 1}`,
    [project_id, group_key],
  );
  return row === undefined ? 0 : Number(row.started_at) + period_ms;
}

/** Records that a ticket with a throttle was granted with this fence. */
export async function insertStart(
  tx: Transaction,
  { project_id, group_key }: GroupRef,
  { fence, started_at, expires_at }: { fence: number; started_at: number; expires_at: number },
): Promise<void> {
  await tx.write(
    'INSERT INTO locks_starts (project_id, group_key, fence, started_at, expires_at) VALUES (?, ?, ?, ?, ?)',
    [project_id, group_key, fence, started_at, expires_at],
  );
}

/** Removes starts that no throttle counts any more, and returns how many. */
export async function removeExpiredStarts(
  on: Pick<Queries, 'read' | 'write'>,
  now: number,
  limit: number,
): Promise<number> {
  const rows = await on.read<GroupRef & { fence: number }>(
    `SELECT project_id, group_key, fence FROM locks_starts WHERE expires_at <= ?
     ORDER BY expires_at LIMIT ${Math.trunc(limit)}`,
    [now],
  );
  if (rows.length === 0) return 0;
  const { condition, params } = inKeys(
    ['project_id', 'group_key', 'fence'],
    rows.map((row) => ({ ...row, fence: Number(row.fence) })),
  );
  return on.write(`DELETE FROM locks_starts WHERE ${condition} AND expires_at <= ?`, [...params, now]);
}

/** A group whose first waiter may start at a time. */
export interface DueGroup extends GroupRef {
  next_at: number;
}

/** Returns the groups in which a waiter may start next, the earliest first. */
export function listNextStarts(on: Pick<Queries, 'read'>, limit: number): Promise<DueGroup[]> {
  return on.read<DueGroup>(
    `SELECT project_id, group_key, next_at FROM locks_groups WHERE next_at IS NOT NULL
     ORDER BY next_at LIMIT ${Math.trunc(limit)}`,
    [],
  );
}
