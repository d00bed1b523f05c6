import { inList, type Queries } from '../../../kernel/contracts/index.ts';
import type { EventSource, ProjectScope } from '../contract.ts';

type On = Pick<Queries, 'read' | 'sql'>;

export interface ChainEvent {
  event_id: string;
  seq: number;
  type: string;
  source: EventSource;
  source_name: string;
  recorded_at: number;
}

const COLUMNS = 'event_id, seq, type, source, source_name, recorded_at';
const numbered = (rows: readonly ChainEvent[]): ChainEvent[] =>
  rows.map((row) => ({ ...row, seq: Number(row.seq), recorded_at: Number(row.recorded_at) }));

export async function chainEvent(on: On, scope: ProjectScope, event_id: string): Promise<ChainEvent | undefined> {
  const rows = await on.read<ChainEvent>(
    `SELECT ${COLUMNS} FROM bus_events WHERE event_id = ? AND project_id = ? AND org_id = ?`,
    [event_id, scope.project_id, scope.org_id],
  );
  return numbered(rows)[0];
}

/** What runs emitted, and what the service says of them: at most `limit`, at most 128 runs. */
export async function eventsOfRuns(
  on: On,
  scope: ProjectScope,
  run_ids: readonly string[],
  limit: number,
): Promise<ChainEvent[]> {
  if (run_ids.length === 0) return [];
  const list = inList(run_ids);
  // Forced, because an optimizer that sees the order reads the whole log.
  const index = on.sql.family === 'mysql' ? 'FORCE INDEX (bus_events_emitter)' : 'INDEXED BY bus_events_emitter';
  const rows = await on.read<ChainEvent>(
    `SELECT ${COLUMNS} FROM bus_events ${index} WHERE project_id = ? AND source_name IN ${list.marks}
     AND source IN ('emit', 'lifecycle', 'manual', 'spawn') ORDER BY source_name, seq LIMIT ${Math.trunc(limit)}`,
    [scope.project_id, ...list.params],
  );
  return numbered(rows);
}

export interface Woken {
  run_id: string;
  event_id: string;
  how: 'woke' | 'cancelled';
}

/** Runs that these events woke or cancelled: at most `limit` of each, at most 128 events. */
export async function wokenBy(
  on: On,
  scope: ProjectScope,
  events: readonly ChainEvent[],
  limit: number,
): Promise<Woken[]> {
  if (events.length === 0) return [];
  const of = (table: string, how: Woken['how']) =>
    on.read<Woken>(
      `SELECT DISTINCT run_id, event_id, '${how}' AS how FROM ${table} WHERE project_id = ?
       AND event_seq IN (${events.map(() => '?').join(',')}) AND state <> 'missed' ORDER BY run_id LIMIT ${Math.trunc(limit)}`,
      [scope.project_id, ...events.map(({ seq }) => seq)],
    );
  return [...(await of('bus_waits', 'woke')), ...(await of('bus_cancels', 'cancelled'))];
}
