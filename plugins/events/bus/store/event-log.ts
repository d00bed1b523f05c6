import type { Queries } from '../../../../kernel/contracts/index.ts';
import type { LoggedEvent, ProjectScope } from '../contract.ts';

type On = Pick<Queries, 'read'>;

interface EventTime {
  seq: number;
  recorded_at: number;
}

/** Returns the first event with this number or a later one, because old ones may have been pruned. */
export async function findFirstFrom(on: On, project_id: string, seq: number): Promise<EventTime | undefined> {
  const [row] = await on.read<EventTime>(
    'SELECT seq, recorded_at FROM bus_events WHERE project_id = ? AND seq >= ? ORDER BY seq LIMIT 1',
    [project_id, seq],
  );
  return row && { seq: Number(row.seq), recorded_at: Number(row.recorded_at) };
}

const COUNT = `SELECT type, COUNT(*) AS n FROM bus_events
  WHERE project_id = ? AND type = ? AND seq >= ? AND seq < ? GROUP BY type`;

/**
 * Each type is counted by its own statement from the index on types; for a list of types an optimizer would read
 * every event in between.
 */
export async function countTypes(
  on: On,
  project_id: string,
  types: readonly string[],
  from: number,
  to: number,
): Promise<Map<string, number>> {
  const rows = await on.read<{ type: string; n: number }>(
    types.map(() => COUNT).join(' UNION ALL '),
    types.flatMap((type) => [project_id, type, from, to]),
  );
  return new Map(rows.map(({ type, n }) => [type, Number(n)]));
}

export async function listLatest(
  on: On,
  { org_id, project_id }: ProjectScope,
  type: string,
  limit: number,
): Promise<LoggedEvent[]> {
  const rows = await on.read<LoggedEvent>(
    `SELECT seq, event_id, type, source, source_name, recorded_at FROM bus_events
     WHERE project_id = ? AND org_id = ? AND type = ? ORDER BY seq DESC LIMIT ${Math.trunc(limit)}`,
    [project_id, org_id, type],
  );
  return rows.map((row) => ({ ...row, seq: Number(row.seq), recorded_at: Number(row.recorded_at) }));
}

/** Returns the events of a range, in order. Without a type, the range is read from the key of the table. */
export async function listRange(
  on: On,
  { org_id, project_id }: ProjectScope,
  { type, after, before, limit }: { type?: string | undefined; after: number; before: number; limit: number },
): Promise<LoggedEvent[]> {
  const rows = await on.read<LoggedEvent>(
    `SELECT seq, event_id, type, source, source_name, recorded_at FROM bus_events
     WHERE project_id = ? AND org_id = ? AND seq > ? AND seq < ? ${type === undefined ? '' : 'AND type = ?'}
     ORDER BY seq LIMIT ${Math.trunc(limit)}`,
    [project_id, org_id, after, before, ...(type === undefined ? [] : [type])],
  );
  return rows.map((row) => ({ ...row, seq: Number(row.seq), recorded_at: Number(row.recorded_at) }));
}

/** Returns the sources of the events after a sequence number, in order. */
export const listSourcesAfter = (
  on: On,
  project_id: string,
  seq: number,
  limit: number,
): Promise<Pick<LoggedEvent, 'seq' | 'source' | 'source_name'>[]> =>
  on.read(
    `SELECT seq, source, source_name FROM bus_events WHERE project_id = ? AND seq > ?
     ORDER BY seq LIMIT ${Math.trunc(limit)}`,
    [project_id, seq],
  );
