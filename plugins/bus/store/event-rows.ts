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
import type { EventSource, ProjectScope, StoredEvent } from '../contract.ts';
import { digests, type EventBody } from '../domain/event-rules.ts';
import { parseExact, takeMember } from '../../schema/contract.ts';
import { NOT_BY_TYPE, typesOfSource } from './listed-sources.ts';

const COLUMNS = `project_id seq event_id org_id type event_key key_digest body source source_name generation trusted
  withheld dedup_digest recorded_at content`.split(/\s+/);
/** The sealed contents of an event: in the last column, or in the one that has them of events that were recorded before. */
export const BODY = 'COALESCE(content, body) AS body';
export const BODY_LENGTH = 'COALESCE(LENGTH(content), LENGTH(body))';
const NO_BODY = Buffer.alloc(0);

const HEADER = `seq, event_id, org_id, project_id, type, event_key, source, source_name, generation, trusted, withheld,
  recorded_at`;

/** A row without its body. */
export interface EventHeader extends ProjectScope {
  seq: number;
  event_id: string;
  type: string;
  event_key: string | null;
  source: EventSource;
  source_name: string;
  generation: number;
  trusted: number;
  withheld: number;
  recorded_at: number;
}

/** The sealed place of an event's body. */
const sealedAt = ({ org_id, project_id }: ProjectScope, event_id: string): SealedPlace => ({
  org_id,
  project_id,
  table: 'bus_events',
  kind: 'event',
  name: event_id,
  field: 'body',
});

/** The org's keys must be ready. */
export const sealBody = (sealer: Sealer, scope: ProjectScope, event_id: string, body: Buffer): Buffer =>
  sealer.seal(sealedAt(scope, event_id), body);

/** The org's keys must be ready. Throws `sealed_value_unreadable`. */
export function openBody(sealer: Sealer, scope: ProjectScope, event_id: string, sealed: Buffer): EventBody {
  const body = parseExact(sealer.open(sealedAt(scope, event_id), sealed).toString()) as EventBody;
  return { ...body, payload: takeMember(body, 'payload') as EventBody['payload'] };
}

export async function insertEvents(
  tx: Transaction,
  events: readonly { event: StoredEvent; sealed: Buffer }[],
): Promise<void> {
  const rows = events.map(({ event, sealed }): Param[] => [
    event.project_id,
    event.seq,
    event.event_id,
    event.org_id,
    event.type,
    event.key,
    event.key === null ? null : digests.key(event.key),
    NO_BODY,
    event.source,
    event.source_name,
    event.generation,
    event.trusted ? 1 : 0,
    event.withheld ? 1 : 0,
    event.dedup === undefined ? null : digests.dedup(event.dedup),
    event.recorded_at,
    sealed,
  ]);
  await insertRows(tx, 'INSERT INTO bus_events', COLUMNS, rows);
}

/** Events of a project by the digests of their deduplication keys. The head must be locked. */
export async function findDoubles(
  tx: Transaction,
  project_id: string,
  dedup_digests: readonly string[],
): Promise<Map<string, { event_id: string; type: string }>> {
  const found = new Map<string, { event_id: string; type: string }>();
  for (const some of chunks(dedup_digests)) {
    const list = inList(some);
    const rows = await tx.read<{ event_id: string; type: string; dedup_digest: string }>(
      `SELECT event_id, type, dedup_digest FROM bus_events WHERE project_id = ? AND dedup_digest IN ${list.marks}`,
      [project_id, ...list.params],
    );
    for (const row of rows) found.set(row.dedup_digest, row);
  }
  return found;
}

/** Which of the ids exist. */
export async function findRecorded(
  tx: Transaction,
  project_id: string,
  event_ids: readonly string[],
): Promise<Set<string>> {
  const found = new Set<string>();
  for (const some of chunks(event_ids)) {
    const list = inList(some);
    const rows = await tx.read<{ event_id: string }>(
      `SELECT event_id FROM bus_events WHERE project_id = ? AND event_id IN ${list.marks}`,
      [project_id, ...list.params],
    );
    for (const { event_id } of rows) found.add(event_id);
  }
  return found;
}

/** An event with its body; undefined when the project has none with that id, or of that source. The org's keys must be ready. */
export async function readEvent(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  scope: ProjectScope,
  event_id: string,
  source?: EventSource,
): Promise<StoredEvent | undefined> {
  const [row] = await on.read<EventHeader & { body: Buffer }>(
    `SELECT ${HEADER}, ${BODY} FROM bus_events WHERE event_id = ? AND project_id = ? AND org_id = ?
     ${source === undefined ? '' : 'AND source = ?'}`,
    [event_id, scope.project_id, scope.org_id, ...(source === undefined ? [] : [source])],
  );
  if (!row) return undefined;
  const body = openBody(sealer, row, row.event_id, row.body);
  const { event_key: key, trusted, withheld, seq, ...header } = row;
  return {
    event_id: header.event_id,
    org_id: header.org_id,
    project_id: header.project_id,
    type: header.type,
    key,
    payload: body.payload,
    ...(body.fields === undefined ? {} : { fields: body.fields }),
    trace: body.trace ?? null,
    source: header.source,
    source_name: header.source_name,
    generation: Number(header.generation),
    trusted: trusted === 1,
    refusable: false,
    ...(withheld === 1 ? { withheld: true } : {}),
    seq: Number(seq),
    recorded_at: Number(header.recorded_at),
  };
}

/** Events of a project after a number, without their bodies, in their order. */
export const eventsAfter = (
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ProjectScope,
  seq: number,
  limit: number,
): Promise<EventHeader[]> =>
  on.read<EventHeader>(
    `SELECT ${HEADER} FROM bus_events WHERE project_id = ? AND org_id = ? AND seq > ?
     ORDER BY seq LIMIT ${Math.trunc(limit)}`,
    [project_id, org_id, seq],
  );

export interface EventFilter {
  type?: string;
  key?: string;
  source?: EventSource;
  /** Only events before this one in the sequence. */
  before_seq?: number;
}

/** Events of a project without their bodies, newest first. */
export async function listEvents(
  on: Pick<Queries, 'read'>,
  scope: ProjectScope,
  filter: EventFilter,
  limit: number,
): Promise<EventHeader[]> {
  // Of a list of types an optimizer would read and sort every event of them: so each is asked for by itself.
  const parts = oneTypeEach(filter).map((part) => selectListed(scope, part, Math.trunc(limit)));
  const statement = parts.map(({ sql }, index) => `SELECT * FROM (${sql}) part_${index}`).join(' UNION ALL ');
  const rows = await on.read<EventHeader>(
    statement,
    parts.flatMap(({ params }) => params),
  );
  return rows.sort((a, b) => Number(b.seq) - Number(a.seq)).slice(0, limit);
}

function oneTypeEach(filter: EventFilter): EventFilter[] {
  const types = filter.source === undefined || filter.type !== undefined ? undefined : typesOfSource(filter.source);
  return types?.map((type) => ({ ...filter, type })) ?? [filter];
}

function selectListed(scope: ProjectScope, filter: EventFilter, limit: number): { sql: string; params: Param[] } {
  const conditions: [string, Param][] = [['project_id = ?', scope.project_id]];
  if (filter.type !== undefined) conditions.push(['type = ?', filter.type]);
  if (filter.key !== undefined) conditions.push(['key_digest = ?', digests.key(filter.key)]);
  if (filter.source !== undefined)
    conditions.push([sourceCondition({ ...filter, source: filter.source }), filter.source]);
  if (filter.before_seq !== undefined) conditions.push(['seq < ?', filter.before_seq]);
  return {
    sql: `SELECT ${HEADER} FROM bus_events WHERE ${conditions.map(([condition]) => condition).join(' AND ')}
     ORDER BY seq DESC LIMIT ${limit}`,
    params: conditions.map(([, param]) => param),
  };
}

/** The index of sources is for a source alone: SQLite would prefer it to those of types and keys, which find fewer. */
const sourceCondition = ({ source, type, key }: EventFilter & { source: EventSource }): string =>
  type === undefined && key === undefined && typesOfSource(source) === undefined
    ? `source = ? AND ${NOT_BY_TYPE}`
    : 'source = ?';
