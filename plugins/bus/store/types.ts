import { insertRows, type Param, type Queries, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ProjectScope, StoredEvent } from '../contract.ts';

const COLUMNS = ['project_id', 'type', 'last_seq', 'last_event', 'last_seen'];

/** On SQLite the index of types names the last event of each: a row is written at the first one, and says only that. */
const isNoted = (on: Pick<Queries, 'sql'>): boolean => on.sql.family === 'sqlite';

/** Records the last event of each type. The head must be locked. */
export async function noteTypes(tx: Transaction, events: readonly StoredEvent[]): Promise<void> {
  const last = new Map(events.map((event) => [event.type, event]));
  const rows = [...last.keys()].sort().map((type): Param[] => {
    const { project_id, seq, event_id, recorded_at } = last.get(type)!;
    return [project_id, type, seq, event_id, recorded_at];
  });
  const first = isNoted(tx) ? ' WHERE bus_types.last_seq = 0' : '';
  const latest = `${tx.sql.upsert(COLUMNS.slice(0, 2), COLUMNS.slice(2))}${first}`;
  await insertRows(tx, 'INSERT INTO bus_types', COLUMNS, rows, latest);
}

/**
 * Holds the rows of types until the transaction ends, so that arming a wait and recording an event of its type exclude
 * each other: both write the row. It is made where no event of the type was seen; such a row has no event. On SQLite the
 * writer excludes them already.
 */
export async function lockTypes(tx: Transaction, project_id: string, types: readonly string[]): Promise<void> {
  if (isNoted(tx)) return;
  const rows = [...types].sort().map((type): Param[] => [project_id, type, 0, '', 0, 1]);
  const raise = 'ON DUPLICATE KEY UPDATE lock_version = bus_types.lock_version + 1';
  await insertRows(tx, 'INSERT INTO bus_types', [...COLUMNS, 'lock_version'], rows, raise);
}

export interface SeenType {
  type: string;
  last_event: string;
  last_seen: number;
}

/** Types seen on a project's bus in byte order, beginning after `after`. */
export async function seenTypes(
  on: Pick<Queries, 'read' | 'sql'>,
  { project_id }: ProjectScope,
  after: string,
  limit: number,
): Promise<SeenType[]> {
  const last = (column: string) => `COALESCE((SELECT ${column} FROM bus_events e WHERE e.project_id = t.project_id
    AND e.type = t.type ORDER BY e.seq DESC LIMIT 1)`;
  const columns = isNoted(on)
    ? `type, ${last('event_id')}, last_event) AS last_event, ${last('recorded_at')}, last_seen) AS last_seen`
    : 'type, last_event, last_seen';
  const rows = await on.read<SeenType>(
    `SELECT ${columns} FROM bus_types t WHERE project_id = ? AND type > ? AND last_seq > 0 ORDER BY type
     LIMIT ${Math.trunc(limit)}`,
    [project_id, after],
  );
  return rows.map((row) => ({ ...row, last_seen: Number(row.last_seen) }));
}
