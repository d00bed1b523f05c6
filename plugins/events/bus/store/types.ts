import {
  chunks,
  inList,
  insertRows,
  type Param,
  type Queries,
  type SealContext,
  type Sealer,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import { parseExact } from '../../../platform/schema/contract.ts';
import type { EventSource, ProjectScope, StoredEvent } from '../contract.ts';
import { toUnmaskedSample } from '../domain/sample.ts';
import { BODY, BODY_LENGTH, type EventContents, openBodies, OF_PROJECT } from './event-rows.ts';

const COLUMNS = ['project_id', 'type', 'last_seq', 'last_event', 'last_seen'];
const COLUMNS_WITH_SAMPLE = [...COLUMNS, 'sample', 'sample_event'];
/** Samples are stored for sealed bodies above this size in bytes; a smaller event is its own sample. */
const LARGE_BODY = 4096;

/**
 * On SQLite the index on types finds the last event of each, so a row is written only for the first event of a type.
 */
const isDerived = (on: Pick<Queries, 'sql'>): boolean => on.sql.family === 'sqlite';

/** A sample is sealed to one event; next to another event it would be masked with the secrets of the wrong run. */
const sampleSealContext = ({ org_id, project_id }: ProjectScope, event_id: string): SealContext => ({
  org_id,
  project_id,
  table: 'bus_types',
  kind: 'event',
  name: event_id,
  field: 'sample',
});

/** Records the last event of each type, with a sample if its body is large. The head must be locked. */
export async function recordTypes(
  tx: Transaction,
  sealer: Sealer,
  events: readonly { event: StoredEvent; sealed: Buffer }[],
): Promise<void> {
  const last = new Map(events.map((event) => [event.event.type, event]));
  const rows = [...last.keys()].sort().map((type): Param[] => {
    const { event, sealed } = last.get(type)!;
    const { project_id, seq, event_id, recorded_at } = event;
    const sample = sealed.length > LARGE_BODY ? sealSample(sealer, event) : null;
    return [project_id, type, seq, event_id, recorded_at, sample, event_id];
  });
  if (isDerived(tx) && (await areStored(tx, rows))) return;
  const only_first = isDerived(tx) ? ' WHERE bus_types.last_seq = 0 OR excluded.sample IS NOT NULL' : '';
  const latest = `${tx.sql.upsert(COLUMNS_WITH_SAMPLE.slice(0, 2), COLUMNS_WITH_SAMPLE.slice(2))}${only_first}`;
  await insertRows(tx, 'INSERT INTO bus_types', COLUMNS_WITH_SAMPLE, rows, latest);
  if (isDerived(tx)) await rememberStored(tx, rows);
}

const MAX_STORED = 1000;
const TYPES_TABLE = ['bus_types'];
const storedKey = (project_id: Param): string => `bus.types ${project_id}`;
const readStored = (tx: Transaction, project_id: Param): Promise<ReadonlySet<Param>> =>
  tx.cached(storedKey(project_id), TYPES_TABLE, () => new Set<Param>());

/** True when all of these types are known to have a row, and none of the rows has a sample to store. */
async function areStored(tx: Transaction, rows: readonly (readonly Param[])[]): Promise<boolean> {
  const stored = await readStored(tx, rows[0]![0]!);
  return rows.every(([, type, , , , sample]) => sample === null && stored.has(type!));
}

/** The rows of these types exist now. */
async function rememberStored(tx: Transaction, rows: readonly (readonly Param[])[]): Promise<void> {
  const project_id = rows[0]![0]!;
  const before = await readStored(tx, project_id);
  const types = rows.map(([, type]) => type!);
  const stored = before.size + types.length > MAX_STORED ? new Set(types) : new Set([...before, ...types]);
  tx.setCached(storedKey(project_id), TYPES_TABLE, stored);
}

/** The content of a stored sample. It includes the event's source, so that the event itself need not be read. */
type StoredSample = Omit<SampleSource, keyof ProjectScope>;

function sealSample(sealer: Sealer, event: StoredEvent): Buffer {
  const { source, source_name, payload } = event;
  const sample: StoredSample = { source, source_name, payload: toUnmaskedSample(payload) };
  return sealer.seal(sampleSealContext(event, event.event_id), Buffer.from(JSON.stringify(sample)));
}

/**
 * Locks the rows of types until the transaction ends, so that arming a wait and recording an event of its type
 * exclude each other: both write the row. A row without an event is inserted for a type never seen. On SQLite the
 * single writer excludes them already.
 */
export async function lockTypes(tx: Transaction, project_id: string, types: readonly string[]): Promise<void> {
  if (isDerived(tx)) return;
  const rows = [...types].sort().map((type): Param[] => [project_id, type, 0, '', 0, 1]);
  const raise = 'ON DUPLICATE KEY UPDATE lock_version = bus_types.lock_version + 1';
  await insertRows(tx, 'INSERT INTO bus_types', [...COLUMNS, 'lock_version'], rows, raise);
}

export interface SeenType {
  type: string;
  last_event: string;
  last_seen: number;
  /** Belongs to an earlier event, or is null, if `sample_event` differs from `last_event`. */
  sample: Buffer | null;
  sample_event: string | null;
}

/** Returns the types seen on a project's bus in byte order, starting after `after`. */
export async function listSeenTypes(
  on: Pick<Queries, 'read' | 'sql'>,
  { project_id }: ProjectScope,
  after: string,
  limit: number,
): Promise<SeenType[]> {
  const latest = (column: string) => `COALESCE((SELECT ${column} FROM bus_events e WHERE e.project_id = t.project_id
    AND e.type = t.type ORDER BY e.seq DESC LIMIT 1)`;
  const columns = isDerived(on)
    ? `type, ${latest('event_id')}, last_event) AS last_event, ${latest('recorded_at')}, last_seen) AS last_seen`
    : 'type, last_event, last_seen';
  const rows = await on.read<SeenType>(
    `SELECT ${columns}, sample, sample_event FROM bus_types t WHERE project_id = ? AND type > ? AND last_seq > 0 ORDER BY type
     LIMIT ${Math.trunc(limit)}`,
    [project_id, after],
  );
  return rows.map((row) => ({ ...row, last_seen: Number(row.last_seen) }));
}

/** What a sample is made from: the stored sample or the payload of a small event, and where the event came from. */
export interface SampleSource extends ProjectScope {
  source: EventSource;
  source_name: string;
  payload: StoredEvent['payload'];
}

/**
 * Returns samples of the last events of types, by event. Large bodies are never read: a large event from before
 * samples were stored is left out, as is a pruned event. The org's keys must be ready.
 */
export async function readSamples(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  { org_id, project_id }: ProjectScope,
  types: readonly SeenType[],
): Promise<Map<string, SampleSource>> {
  const samples = new Map<string, SampleSource>();
  const scope = { org_id, project_id };
  const stored = new Map(
    types.flatMap(({ last_event, sample, sample_event }) =>
      sample !== null && sample_event === last_event ? [[last_event, sample] as const] : [],
    ),
  );
  const where = `FROM bus_events WHERE ${OF_PROJECT} AND org_id = ? AND event_id IN`;
  for (const chunk of chunks([...stored.keys()])) {
    const list = inList(chunk);
    const params = [project_id, org_id, ...list.params];
    for (const { event_id } of await on.read<{ event_id: string }>(
      `SELECT event_id ${where} ${list.placeholders}`,
      params,
    ))
      samples.set(event_id, { ...scope, ...openSample(sealer, scope, event_id, stored.get(event_id)!) });
  }
  const unsampled = types.flatMap(({ last_event }) => (stored.has(last_event) ? [] : [last_event]));
  for (const chunk of chunks(unsampled)) {
    const list = inList(chunk);
    const rows = await on.read<EventContents & { source: EventSource; source_name: string }>(
      `SELECT seq, event_id, org_id, project_id, source, source_name, ${BODY} ${where} ${list.placeholders} AND ${BODY_LENGTH} <= ${LARGE_BODY}`,
      [project_id, org_id, ...list.params],
    );
    const bodies = await openBodies(on, sealer, project_id, rows);
    for (const { event_id, source, source_name } of rows) {
      const body = bodies.get(event_id);
      if (body) samples.set(event_id, { ...scope, source, source_name, payload: body.payload });
    }
  }
  return samples;
}

const openSample = (sealer: Sealer, scope: ProjectScope, event_id: string, sealed: Buffer): StoredSample =>
  parseExact(sealer.open(sampleSealContext(scope, event_id), sealed).toString()) as StoredSample;
