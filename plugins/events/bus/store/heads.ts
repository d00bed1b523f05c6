import type { Queries, Transaction } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../contract.ts';

/**
 * On SQLite the last event itself tells how far the bus is, because writing the head as well would cost every commit
 * a page. There the row is written only when its holder changes and before the last events are pruned.
 */
const isDerivedHead = (on: Pick<Queries, 'sql'>): boolean => on.sql.family === 'sqlite';

/** The head of a project's bus: the number and time of its last event, and the server that numbers its events. */
export interface Head {
  seq: number;
  at: number;
  holder: string;
  /** When the holder's lease ends, in epoch milliseconds by the database's clock. */
  until: number;
}

/** Locks the project's head until the transaction ends. On SQLite the writer already holds the lock. */
export async function lockHead(tx: Transaction, { org_id, project_id }: ProjectScope): Promise<Head> {
  const existing = await readHead(tx, project_id);
  if (existing) return existing;
  await tx.write(`${tx.sql.insert_ignore} bus_heads (project_id, org_id, last_seq, last_at) VALUES (?, ?, 0, 0)`, [
    project_id,
    org_id,
  ]);
  const inserted = await readHead(tx, project_id);
  if (!inserted) throw new Error(`the bus head of ${project_id} was neither created nor found`);
  return inserted;
}

const headKey = (project_id: string): string => `bus.head ${project_id}`;
const HEAD_TABLES = ['bus_heads', 'bus_events'];

/** On MySQL the row is locked, so nothing is cached. */
const readHead = (tx: Transaction, project_id: string): Promise<Head | undefined> =>
  isDerivedHead(tx)
    ? tx.cached(headKey(project_id), HEAD_TABLES, () => lockRow(tx, project_id))
    : lockRow(tx, project_id);

async function lockRow(tx: Transaction, project_id: string): Promise<Head | undefined> {
  const [row] = await tx.lock<{ last_seq: number; last_at: number; holder: string; holder_until: number }>({
    table: 'bus_heads',
    key: ['project_id'],
    columns: 'last_seq, last_at, holder, holder_until',
    where: 'project_id = ?',
    params: [project_id],
  });
  if (!row) return undefined;
  const { holder, holder_until } = row;
  const at = { seq: Number(row.last_seq), at: Number(row.last_at) };
  const last = isDerivedHead(tx) ? await lastEvent(tx, project_id) : undefined;
  return { ...(last && last.seq > at.seq ? last : at), holder, until: Number(holder_until) };
}

async function lastEvent(on: Pick<Queries, 'read'>, project_id: string): Promise<Pick<Head, 'seq' | 'at'> | undefined> {
  const [row] = await on.read<{ seq: number; recorded_at: number }>(
    'SELECT seq, recorded_at FROM bus_events WHERE project_id = ? ORDER BY seq DESC LIMIT 1',
    [project_id],
  );
  return row && { seq: Number(row.seq), at: Number(row.recorded_at) };
}

/** Returns, without a lock, who numbers the events of a project, or undefined if it has no head. */
export async function readHolder(
  on: Pick<Queries, 'read'>,
  project_id: string,
): Promise<Pick<Head, 'holder' | 'until'> | undefined> {
  const [row] = await on.read<{ holder: string; holder_until: number }>(
    'SELECT holder, holder_until FROM bus_heads WHERE project_id = ?',
    [project_id],
  );
  return row && { holder: row.holder, until: Number(row.holder_until) };
}

/** Ends the leases of a server that stops. */
export const releaseHeads = (on: Pick<Queries, 'write'>, holder: string): Promise<number> =>
  on.write('UPDATE bus_heads SET holder_until = 0 WHERE holder = ?', [holder]);

const lastNumber = (on: Pick<Queries, 'sql'>): string =>
  isDerivedHead(on)
    ? 'MAX(last_seq, COALESCE((SELECT MAX(seq) FROM bus_events e WHERE e.project_id = h.project_id), 0))'
    : 'last_seq';

/** Returns heads of projects with ids above `after`, in order. */
export async function listHeads(
  on: Pick<Queries, 'read' | 'sql'>,
  after: string,
  limit: number,
): Promise<(ProjectScope & { last_seq: number })[]> {
  const rows = await on.read<ProjectScope & { last_seq: number }>(
    `SELECT org_id, project_id, ${lastNumber(on)} AS last_seq FROM bus_heads h WHERE project_id > ?
     ORDER BY project_id LIMIT ${Math.trunc(limit)}`,
    [after],
  );
  return rows.map((row) => ({ ...row, last_seq: Number(row.last_seq) }));
}

/** Returns, without a lock, the number of the last event, or 0 if there is none. */
export async function lastSeq(on: Pick<Queries, 'read' | 'sql'>, project_id: string): Promise<number> {
  const last = lastNumber(on);
  const [row] = await on.read<{ last_seq: number }>(
    `SELECT ${last} AS last_seq FROM bus_heads h WHERE project_id = ?`,
    [project_id],
  );
  return Number(row?.last_seq ?? 0);
}

/** Moves the locked head. The events up to the new position must be written. */
export async function moveHead(tx: Transaction, project_id: string, from: Head, to: Head): Promise<void> {
  if (isDerivedHead(tx) && from.holder === to.holder && from.until === to.until) {
    tx.setCached(headKey(project_id), HEAD_TABLES, to);
    return;
  }
  const moved = await tx.write(
    `UPDATE bus_heads SET last_seq = ?, last_at = ?, holder = ?, holder_until = ?
     WHERE project_id = ? AND last_seq < ?`,
    [to.seq, to.at, to.holder, to.until, project_id, to.seq],
  );
  if (moved !== 1) throw new Error(`the bus head of ${project_id} did not move to ${to.seq}`);
  tx.skipConflictGuard('bus_heads', [[project_id]]);
}

/** Preserves the last number before the events up to it are pruned, so that no number is used twice. */
export async function preserveLastSeq(on: Queries, project_id: string, last: Pick<Head, 'seq' | 'at'>): Promise<void> {
  if (!isDerivedHead(on)) return;
  await on.write('UPDATE bus_heads SET last_seq = ?, last_at = ? WHERE project_id = ? AND last_seq < ?', [
    last.seq,
    last.at,
    project_id,
    last.seq,
  ]);
}
