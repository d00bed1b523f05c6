import type { Queries, Transaction } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../contract.ts';

/**
 * On SQLite the last event says how far the bus is: writing the head for each as well would cost every commit a page. The
 * row is written where its holder changes, and before the last events are removed.
 */
const follows = (on: Pick<Queries, 'sql'>): boolean => on.sql.family === 'sqlite';

/** The head of a project's bus: the number and the time of its last event, and the server that numbers events. */
export interface Head {
  seq: number;
  at: number;
  holder: string;
  /** Epoch ms by the database's clock. */
  until: number;
}

/** Holds the project's lock until the transaction ends. On SQLite the writer holds it already. */
export async function lockHead(tx: Transaction, { org_id, project_id }: ProjectScope): Promise<Head> {
  const known = await readHead(tx, project_id);
  if (known) return known;
  await tx.write(`${tx.sql.insert_ignore} bus_heads (project_id, org_id, last_seq, last_at) VALUES (?, ?, 0, 0)`, [
    project_id,
    org_id,
  ]);
  const made = await readHead(tx, project_id);
  if (!made) throw new Error(`the head of the bus of ${project_id} was neither made nor found`);
  return made;
}

async function readHead(tx: Transaction, project_id: string): Promise<Head | undefined> {
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
  const last = follows(tx) ? await lastEvent(tx, project_id) : undefined;
  return { ...(last && last.seq > at.seq ? last : at), holder, until: Number(holder_until) };
}

async function lastEvent(on: Pick<Queries, 'read'>, project_id: string): Promise<Pick<Head, 'seq' | 'at'> | undefined> {
  const [row] = await on.read<{ seq: number; recorded_at: number }>(
    'SELECT seq, recorded_at FROM bus_events WHERE project_id = ? ORDER BY seq DESC LIMIT 1',
    [project_id],
  );
  return row && { seq: Number(row.seq), at: Number(row.recorded_at) };
}

/** Without a lock: who numbers the events of a project; undefined when it has none. */
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
export const letGo = (on: Pick<Queries, 'write'>, holder: string): Promise<number> =>
  on.write('UPDATE bus_heads SET holder_until = 0 WHERE holder = ?', [holder]);

/** Without a lock: the number of the last event, 0 when there is none. */
export async function lastSeq(on: Pick<Queries, 'read' | 'sql'>, project_id: string): Promise<number> {
  const last = follows(on)
    ? 'MAX(last_seq, COALESCE((SELECT MAX(seq) FROM bus_events e WHERE e.project_id = h.project_id), 0))'
    : 'last_seq';
  const [row] = await on.read<{ last_seq: number }>(
    `SELECT ${last} AS last_seq FROM bus_heads h WHERE project_id = ?`,
    [project_id],
  );
  return Number(row?.last_seq ?? 0);
}

/** The head must be locked, and the events up to the new one be written. */
export async function moveHead(tx: Transaction, project_id: string, from: Head, to: Head): Promise<void> {
  if (follows(tx) && from.holder === to.holder && from.until === to.until) return;
  const moved = await tx.write(
    `UPDATE bus_heads SET last_seq = ?, last_at = ?, holder = ?, holder_until = ?
     WHERE project_id = ? AND last_seq < ?`,
    [to.seq, to.at, to.holder, to.until, project_id, to.seq],
  );
  if (moved !== 1) throw new Error(`the head of the bus of ${project_id} did not move to ${to.seq}`);
  tx.settled('bus_heads', [[project_id]]);
}

/** Before events up to this one are removed: numbers are not given twice. */
export async function keepNumber(on: Queries, project_id: string, last: Pick<Head, 'seq' | 'at'>): Promise<void> {
  if (!follows(on)) return;
  await on.write('UPDATE bus_heads SET last_seq = ?, last_at = ? WHERE project_id = ? AND last_seq < ?', [
    last.seq,
    last.at,
    project_id,
    last.seq,
  ]);
}
