import { type Database, distinct, inList, MAX_ROWS_PER_STATEMENT } from '../../../../kernel/contracts/index.ts';
import { deleteBatch } from '../../../platform/retention/contract.ts';
import type { ProjectScope } from '../contract.ts';
import { preserveLastSeq } from './heads.ts';

/** An event that may be old enough to prune. */
export interface OldEvent {
  seq: number;
  event_id: string;
  type: string;
  recorded_at: number;
}

export function projectsWithEvents(on: Pick<Database, 'read'>): Promise<ProjectScope[]> {
  return on.read<ProjectScope>('SELECT project_id, org_id FROM bus_heads ORDER BY project_id');
}

/**
 * Returns the next events in the sequence, as many as fit in one statement. Times never decrease along the sequence.
 */
export function listOldestEvents(
  on: Pick<Database, 'read'>,
  project_id: string,
  after_seq: number,
): Promise<OldEvent[]> {
  return on.read<OldEvent>(
    `SELECT seq, event_id, type, recorded_at FROM bus_events WHERE project_id = ? AND seq > ? ORDER BY seq LIMIT ${MAX_ROWS_PER_STATEMENT}`,
    [project_id, after_seq],
  );
}

/** Returns the events with matched waits or cancels that are not delivered yet; the deliverer still reads them. */
export async function listUndelivered(
  on: Pick<Database, 'read'>,
  project_id: string,
  event_ids: readonly string[],
): Promise<string[]> {
  const list = inList(event_ids);
  const select = (table: string) => `SELECT event_id FROM ${table} WHERE project_id = ? AND state = 'fired'
    AND event_id IN ${list.placeholders}`;
  const params = [project_id, ...list.params];
  const rows = await on.read<{ event_id: string }>(`${select('bus_waits')} UNION ${select('bus_cancels')}`, [
    ...params,
    ...params,
  ]);
  return rows.map(({ event_id }) => event_id);
}

/**
 * Deletes events with all that refers to them, a few rows at a time. Yields the number of rows after each statement.
 */
export async function* removeEvents(
  on: Database,
  project_id: string,
  events: readonly OldEvent[],
  limit: number,
): AsyncIterable<number> {
  const last = events.at(-1)!;
  await preserveLastSeq(on, project_id, { seq: Number(last.seq), at: Number(last.recorded_at) });
  const ids = inList(events.map(({ event_id }) => event_id));
  const seqs = events.map(({ seq }) => Math.trunc(seq)).join(', ');
  const completed = `project_id = ? AND event_seq IN (${seqs}) AND state IN ('delivered', 'missed')`;
  const deletions: [table: string, condition: string, params: string[]][] = [
    ['bus_deliveries', `event_id IN ${ids.placeholders}`, ids.params],
    ['bus_waits', completed, [project_id]],
    ['bus_cancels', completed, [project_id]],
    ['bus_types', ...unseenTypes(on, project_id, events, seqs)],
    ['bus_events', `project_id = ? AND seq IN (${seqs})`, [project_id]],
  ];
  for (const [table, condition, params] of deletions)
    for (let removed = limit; removed >= limit; ) {
      removed = await deleteBatch(on, table, condition, params, limit);
      if (removed > 0) yield removed;
    }
  await clearSamples(on, project_id, ids);
}

/** A type that was seen again may still have the sample of a pruned event. On MySQL every event replaces the sample. */
async function clearSamples(on: Database, project_id: string, ids: ReturnType<typeof inList>): Promise<void> {
  if (on.sql.family === 'mysql') return;
  await on.write(
    `UPDATE bus_types SET sample = NULL, sample_event = NULL WHERE project_id = ? AND sample_event IN ${ids.placeholders}`,
    [project_id, ...ids.params],
  );
}

/** Selects types of which no event is left. On MySQL a type with a newer event refers to that one. */
function unseenTypes(
  on: Pick<Database, 'sql'>,
  project_id: string,
  events: readonly OldEvent[],
  seqs: string,
): [condition: string, params: string[]] {
  if (on.sql.family === 'mysql') {
    const ids = inList(events.map(({ event_id }) => event_id));
    return [`project_id = ? AND last_event IN ${ids.placeholders}`, [project_id, ...ids.params]];
  }
  const types = inList(distinct(events, ({ type }) => type));
  const other_event = `SELECT 1 FROM bus_events e WHERE e.project_id = bus_types.project_id AND e.type = bus_types.type
    AND e.seq NOT IN (${seqs})`;
  return [
    `project_id = ? AND type IN ${types.placeholders} AND NOT EXISTS (${other_event})`,
    [project_id, ...types.params],
  ];
}
