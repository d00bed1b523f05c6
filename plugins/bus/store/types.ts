import {
  chunks,
  inList,
  insertRows,
  type Param,
  type Queries,
  type SealedPlace,
  type Sealer,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import { parseExact } from '../../schema/contract.ts';
import type { EventSource, ProjectScope, StoredEvent } from '../contract.ts';
import { unmaskedSampleOf } from '../domain/sample.ts';
import { BODY, BODY_LENGTH, openBody } from './event-rows.ts';

const COLUMNS = ['project_id', 'type', 'last_seq', 'last_event', 'last_seen'];
const NOTED = [...COLUMNS, 'sample', 'sample_event'];
/** Bytes of a sealed body from which on a sample is stored: a smaller event is its own sample. */
const LARGE_BODY = 4096;

/** On SQLite the index of types names the last event of each: a row is written at the first one, and says only that. */
const isNoted = (on: Pick<Queries, 'sql'>): boolean => on.sql.family === 'sqlite';

/** A sample belongs to one event: beside another one it would be masked with the secrets of another run. */
const sampleAt = ({ org_id, project_id }: ProjectScope, event_id: string): SealedPlace => ({
  org_id,
  project_id,
  table: 'bus_types',
  kind: 'event',
  name: event_id,
  field: 'sample',
});

/** Records the last event of each type, and a sample of it if its body is large. The head must be locked. */
export async function noteTypes(
  tx: Transaction,
  sealer: Sealer,
  events: readonly { event: StoredEvent; sealed: Buffer }[],
): Promise<void> {
  const last = new Map(events.map((one) => [one.event.type, one]));
  const rows = [...last.keys()].sort().map((type): Param[] => {
    const { event, sealed } = last.get(type)!;
    const { project_id, seq, event_id, recorded_at } = event;
    const sample = sealed.length > LARGE_BODY ? sealSample(sealer, event) : null;
    return [project_id, type, seq, event_id, recorded_at, sample, event_id];
  });
  const first = isNoted(tx) ? ' WHERE bus_types.last_seq = 0 OR excluded.sample IS NOT NULL' : '';
  const latest = `${tx.sql.upsert(NOTED.slice(0, 2), NOTED.slice(2))}${first}`;
  await insertRows(tx, 'INSERT INTO bus_types', NOTED, rows, latest);
}

/** What a stored sample holds. It says where its event came from, so that the event itself need not be read. */
type StoredSample = Omit<Sampled, keyof ProjectScope>;

function sealSample(sealer: Sealer, event: StoredEvent): Buffer {
  const { source, source_name, payload } = event;
  const sample: StoredSample = { source, source_name, payload: unmaskedSampleOf(payload) };
  return sealer.seal(sampleAt(event, event.event_id), Buffer.from(JSON.stringify(sample)));
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
  /** Of an earlier event, or none, if `sample_event` is another one than `last_event`. */
  sample: Buffer | null;
  sample_event: string | null;
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
    `SELECT ${columns}, sample, sample_event FROM bus_types t WHERE project_id = ? AND type > ? AND last_seq > 0 ORDER BY type
     LIMIT ${Math.trunc(limit)}`,
    [project_id, after],
  );
  return rows.map((row) => ({ ...row, last_seen: Number(row.last_seen) }));
}

/** What a sample is made of: the stored sample, or the payload of a small event; and where its event came from. */
export interface Sampled extends ProjectScope {
  source: EventSource;
  source_name: string;
  payload: StoredEvent['payload'];
}

/**
 * What there is to show of the last events of types, by event. No large body is read: one of an event that was recorded
 * before samples were stored is left out, as is an event that does not exist any more. The org's keys must be ready.
 */
export async function readSamples(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  { org_id, project_id }: ProjectScope,
  types: readonly SeenType[],
): Promise<Map<string, Sampled>> {
  const found = new Map<string, Sampled>();
  const scope = { org_id, project_id };
  const stored = new Map(
    types.flatMap(({ last_event, sample, sample_event }) =>
      sample !== null && sample_event === last_event ? [[last_event, sample] as const] : [],
    ),
  );
  const where = 'FROM bus_events WHERE project_id = ? AND org_id = ? AND event_id IN';
  for (const some of chunks([...stored.keys()])) {
    const list = inList(some);
    const params = [project_id, org_id, ...list.params];
    for (const { event_id } of await on.read<{ event_id: string }>(`SELECT event_id ${where} ${list.marks}`, params))
      found.set(event_id, { ...scope, ...openSample(sealer, scope, event_id, stored.get(event_id)!) });
  }
  const rest = types.flatMap(({ last_event }) => (stored.has(last_event) ? [] : [last_event]));
  for (const some of chunks(rest)) {
    const list = inList(some);
    const rows = await on.read<{ event_id: string; source: EventSource; source_name: string; body: Buffer }>(
      `SELECT event_id, source, source_name, ${BODY} ${where} ${list.marks} AND ${BODY_LENGTH} <= ${LARGE_BODY}`,
      [project_id, org_id, ...list.params],
    );
    for (const { event_id, source, source_name, body } of rows) {
      const { payload } = openBody(sealer, scope, event_id, body);
      found.set(event_id, { ...scope, source, source_name, payload });
    }
  }
  return found;
}

const openSample = (sealer: Sealer, scope: ProjectScope, event_id: string, sealed: Buffer): StoredSample =>
  parseExact(sealer.open(sampleAt(scope, event_id), sealed).toString()) as StoredSample;
