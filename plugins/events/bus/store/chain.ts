import { inList, type Queries } from '../../../../kernel/contracts/index.ts';
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
const parseRows = (rows: readonly ChainEvent[]): ChainEvent[] =>
  rows.map((row) => ({ ...row, seq: Number(row.seq), recorded_at: Number(row.recorded_at) }));

export async function readChainEvent(on: On, scope: ProjectScope, event_id: string): Promise<ChainEvent | undefined> {
  const rows = await on.read<ChainEvent>(
    `SELECT ${COLUMNS} FROM bus_events WHERE event_id = ? AND project_id = ? AND org_id = ?`,
    [event_id, scope.project_id, scope.org_id],
  );
  return parseRows(rows)[0];
}

/** Returns the events that runs (at most 128) emitted or that report on them, at most `limit`. */
export async function listEventsOfRuns(
  on: On,
  scope: ProjectScope,
  run_ids: readonly string[],
  limit: number,
): Promise<ChainEvent[]> {
  if (run_ids.length === 0) return [];
  const list = inList(run_ids);
  // The index is forced because an optimizer that sees the order would read the whole log.
  const index = on.sql.family === 'mysql' ? 'FORCE INDEX (bus_events_emitter)' : 'INDEXED BY bus_events_emitter';
  const rows = await on.read<ChainEvent>(
    `SELECT ${COLUMNS} FROM bus_events ${index} WHERE project_id = ? AND source_name IN ${list.placeholders}
     AND source IN ('emit', 'lifecycle', 'manual', 'spawn') ORDER BY source_name, seq LIMIT ${Math.trunc(limit)}`,
    [scope.project_id, ...list.params],
  );
  return parseRows(rows);
}

export interface RunReaction {
  run_id: string;
  event_id: string;
  how: 'woke' | 'cancelled';
}

/** Returns the runs that these events (at most 128) woke or cancelled, at most `limit` of each. */
export async function listReactions(
  on: On,
  scope: ProjectScope,
  events: readonly ChainEvent[],
  limit: number,
): Promise<RunReaction[]> {
  if (events.length === 0) return [];
  const select = (table: string, how: RunReaction['how']) =>
    on.read<RunReaction>(
      `SELECT DISTINCT run_id, event_id, '${how}' AS how FROM ${table} WHERE project_id = ?
       AND event_seq IN (${events.map(() => '?').join(',')}) AND state <> 'missed' ORDER BY run_id LIMIT ${Math.trunc(limit)}`,
      [scope.project_id, ...events.map(({ seq }) => seq)],
    );
  return [...(await select('bus_waits', 'woke')), ...(await select('bus_cancels', 'cancelled'))];
}
