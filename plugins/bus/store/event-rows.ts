import {
  chunks,
  inList,
  insertRows,
  type Param,
  type Queries,
  type Reach,
  type SealedPlace,
  type Sealer,
  type Search,
  searchInWindows,
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
  /** A search does not go on behind what was recorded before this time. Younger ones are not told apart from older ones. */
  since?: number;
}

/** Events of a project without their bodies, newest first. `looked_to`: the search ended at this event, and older ones may match. */
export async function listEvents(
  on: Pick<Queries, 'read' | 'sql'>,
  scope: ProjectScope,
  filter: EventFilter,
  limit: number,
  reach?: Reach,
): Promise<{ rows: EventHeader[]; looked_to?: number }> {
  if (!looksAtEach(filter)) return { rows: await readListed(on, scope, filter, limit) };
  const { before_seq, since, ...asked } = filter;
  const upTo = (before: Place | undefined): EventFilter => (before ? { ...asked, before_seq: before.seq } : asked);
  const search: Search<EventHeader, Place> = {
    before: before_seq === undefined ? undefined : { seq: before_seq, recorded_at: 0 },
    wanted: limit,
    endOf: (before, rows) => windowEnd(on, scope, upTo(before), rows),
    read: (before, from, most) => readListed(on, scope, upTo(before), most, from?.seq),
    // Times never decrease along the sequence.
    isLast: ({ recorded_at }) => since !== undefined && recorded_at < since,
  };
  const { rows, looked_to } = await searchInWindows(search, reach);
  return looked_to === undefined ? { rows } : { rows, looked_to: looked_to.seq };
}

interface Place {
  seq: number;
  recorded_at: number;
}

/** Whether rows must be looked at that the index does not tell apart. */
const looksAtEach = ({ type, key, source }: EventFilter): boolean =>
  [type, key, source].filter((one) => one !== undefined).length > 1;

async function readListed(
  on: Pick<Queries, 'read' | 'sql'>,
  scope: ProjectScope,
  filter: EventFilter,
  limit: number,
  from?: number,
): Promise<EventHeader[]> {
  // Of a list of types an optimizer would read and sort every event of them: so each is asked for by itself.
  const parts = oneTypeEach(filter).map((part) => selectListed(on, scope, part, Math.trunc(limit), from));
  const statement = parts.map(({ sql }, index) => `SELECT * FROM (${sql}) part_${index}`).join(' UNION ALL ');
  const rows = await on.read<EventHeader>(
    statement,
    parts.flatMap(({ params }) => params),
  );
  return rows.sort((a, b) => Number(b.seq) - Number(a.seq)).slice(0, limit);
}

function oneTypeEach(filter: EventFilter): EventFilter[] {
  const types = filter.source === undefined || looksAtEach(filter) ? undefined : typesOfSource(filter.source);
  return types?.map((type) => ({ ...filter, type })) ?? [filter];
}

interface Condition {
  index: string;
  condition: string;
  param: Param;
}

/** By what finds the fewest first. The first one leads: its index is read from the newest end. */
function conditionsOf({ type, key, source }: EventFilter): Condition[] {
  const conditions: Condition[] = [];
  if (key !== undefined)
    conditions.push({ index: 'bus_events_key', condition: 'key_digest = ?', param: digests.key(key) });
  if (type !== undefined) conditions.push({ index: 'bus_events_type', condition: 'type = ?', param: type });
  if (source === undefined) return conditions;
  // The index of sources is for a source alone.
  const alone = conditions.length === 0;
  const condition = alone ? `source = ? AND ${NOT_BY_TYPE}` : 'source = ?';
  return [...conditions, { index: 'bus_events_source', condition, param: source }];
}

function selectListed(
  { sql }: Pick<Queries, 'sql'>,
  { project_id }: ProjectScope,
  filter: EventFilter,
  limit: number,
  from: number | undefined,
): { sql: string; params: Param[] } {
  const conditions = conditionsOf(filter);
  const bounds: [string, Param][] = [];
  if (filter.before_seq !== undefined) bounds.push(['seq < ?', filter.before_seq]);
  if (from !== undefined) bounds.push(['seq >= ?', from]);
  const all = [...conditions.map(({ condition }) => condition), ...bounds.map(([bound]) => bound)];
  return {
    sql: `SELECT ${HEADER} FROM ${leadBy(sql, conditions[0])} WHERE ${['project_id = ?', ...all].join(' AND ')}
     ORDER BY seq DESC LIMIT ${limit}`,
    params: [project_id, ...conditions.map(({ param }) => param), ...bounds.map(([, param]) => param)],
  };
}

/** An optimizer could choose another index, in which a window is as long as the list of all events. */
const leadBy = ({ family }: Queries['sql'], lead: Condition | undefined): string =>
  lead === undefined
    ? 'bus_events'
    : `bus_events ${family === 'mysql' ? `FORCE INDEX (${lead.index})` : `INDEXED BY ${lead.index}`}`;

/** The event up to which a statement reads that looks at so many; undefined where there are not as many. */
async function windowEnd(
  on: Pick<Queries, 'read' | 'sql'>,
  { project_id }: ProjectScope,
  filter: EventFilter,
  rows: number,
): Promise<Place | undefined> {
  const [lead] = conditionsOf(filter);
  const before = filter.before_seq === undefined ? [] : [filter.before_seq];
  // The inner statement reads the index alone.
  const [end] = await on.read<Place>(
    `SELECT seq, recorded_at FROM bus_events WHERE project_id = ? AND seq = (
       SELECT seq FROM ${leadBy(on.sql, lead)} WHERE project_id = ? AND ${lead!.condition}
         ${before.length > 0 ? 'AND seq < ?' : ''} ORDER BY seq DESC LIMIT 1 OFFSET ${Math.trunc(rows) - 1})`,
    [project_id, project_id, lead!.param, ...before],
  );
  return end && { seq: Number(end.seq), recorded_at: Number(end.recorded_at) };
}
