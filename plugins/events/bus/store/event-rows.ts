import {
  chunks,
  errorOfCode,
  inList,
  insertRows,
  type Param,
  type Queries,
  type SearchBounds,
  type SealContext,
  type Sealer,
  type Search,
  searchInWindows,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { EventSource, ProjectScope, StoredEvent } from '../contract.ts';
import { digests, type EventBody } from '../domain/event-rules.ts';
import { parseExact, detachMember, type JsonLimits, parseExactYielding } from '../../../platform/schema/contract.ts';
import { SOURCE_INDEX_CONDITION, sourcesBut, typesOfSource } from './listed-sources.ts';

const COLUMNS = `project_id seq event_id org_id type event_key key_digest body source source_name generation trusted
  withheld dedup_digest recorded_at content`.split(/\s+/);
/** The sealed body of an event, from the last column, or from the first one for events of earlier versions. */
export const BODY = 'COALESCE(content, body) AS body';
export const BODY_LENGTH = 'COALESCE(LENGTH(content), LENGTH(body))';
const NO_BODY = Buffer.alloc(0);
/** Beside ids of events, which alone are looked up: for many of them SQLite would read all events of the project. */
export const OF_PROJECT = "COALESCE(project_id, '') = ?";

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

/** Where the body of an event is sealed to. */
const bodySealContext = ({ org_id, project_id }: ProjectScope, event_id: string): SealContext => ({
  org_id,
  project_id,
  table: 'bus_events',
  kind: 'event',
  name: event_id,
  field: 'body',
});

/** Seals the body of an event. The org's keys must be ready. */
export const sealBody = (sealer: Sealer, scope: ProjectScope, event_id: string, body: Buffer): Buffer =>
  sealer.seal(bodySealContext(scope, event_id), body);

/** Opens the body of an event. The org's keys must be ready. Throws `sealed_value_unreadable`. */
export function openBody(sealer: Sealer, scope: ProjectScope, event_id: string, sealed: Buffer): EventBody {
  return parseBody(sealer.open(bodySealContext(scope, event_id), sealed));
}

const parseBody = (json: Buffer): EventBody => toBody(parseExact(json.toString()));

const toBody = (parsed: unknown): EventBody => {
  const body = parsed as EventBody;
  return { ...body, payload: detachMember(body, 'payload') as EventBody['payload'] };
};

/** What is stored was checked when it was recorded. */
const NO_LIMITS: JsonLimits = {
  json_values: Number.POSITIVE_INFINITY,
  json_members: Number.POSITIVE_INFINITY,
  json_depth: Number.POSITIVE_INFINITY,
};
/** A body of at least this size is parsed in several turns of the event loop. */
const LARGE_BYTES = 64 * 1024;

const parseBodyYielding = async (json: Buffer): Promise<EventBody> =>
  json.length < LARGE_BYTES ? parseBody(json) : toBody(await parseExactYielding(json, NO_LIMITS, 'the event'));

/** The first byte of contents that hold the bodies of several events, and of those that name where theirs is. */
const SEVERAL = 0x53;
const ELSEWHERE = 0x45;
/** No sealed value is as short, so that lengths tell them apart. */
const ELSEWHERE_BYTES = 3;
/** Bytes of JSON that are sealed together. The contents of one event stay smaller than a page. */
const MAX_TOGETHER = 1500;
const MAX_DISTANCE = 0xffff;
const LENGTH_BYTES = 4;

/** An event that is about to be stored, with its body as JSON if that may be sealed together with others. */
interface UnsealedEvent {
  event: StoredEvent;
  recording: { plaintext?: Buffer; readonly sealed: Buffer };
}

/** What a run announces about itself. */
const OF_RUNS: readonly EventSource[] = ['lifecycle', 'manual', 'spawn'];

/**
 * Seals the bodies of events. Those that one run announces in one transaction are sealed once, in the row of the last of them;
 * the others name that row. The seal is bound to the last event, and names the others. The org's keys must be ready.
 */
export function sealContents(
  sealer: Sealer,
  events: readonly UnsealedEvent[],
): { event: StoredEvent; sealed: Buffer }[] {
  const contents = new Map<StoredEvent, Buffer>();
  const own = events.filter(({ event, recording }) => recording.plaintext && OF_RUNS.includes(event.source));
  for (const of_run of Map.groupBy(own, ({ event }) => event.source_name).values()) {
    const { event: last } = of_run.at(-1)!;
    const bytes = of_run.reduce((sum, { recording }) => sum + recording.plaintext!.length, 0);
    if (of_run.length === 1 || bytes > MAX_TOGETHER || last.seq - of_run[0]!.event.seq > MAX_DISTANCE) continue;
    const segments = of_run.flatMap(({ event, recording }) => [Buffer.from(event.event_id), recording.plaintext!]);
    const sealed = sealer.seal(severalSealContext(last, last.event_id), joinSegments(segments));
    for (const { event } of of_run) contents.set(event, elsewhere(last.seq - event.seq));
    contents.set(last, Buffer.concat([Buffer.of(SEVERAL), sealed]));
  }
  return events.map(({ event, recording }) => ({ event, sealed: contents.get(event) ?? recording.sealed }));
}

const severalSealContext = (scope: ProjectScope, event_id: string): SealContext => ({
  ...bodySealContext(scope, event_id),
  field: 'bodies',
});

function elsewhere(distance: number): Buffer {
  const contents = Buffer.alloc(ELSEWHERE_BYTES, ELSEWHERE);
  contents.writeUInt16BE(distance, 1);
  return contents;
}

/** Writes each segment after its length. */
function joinSegments(segments: readonly Buffer[]): Buffer {
  const joined = Buffer.allocUnsafe(segments.reduce((sum, { length }) => sum + LENGTH_BYTES + length, 0));
  let at = 0;
  for (const segment of segments) {
    at = joined.writeUInt32BE(segment.length, at);
    at += segment.copy(joined, at);
  }
  return joined;
}

function* splitSegments(joined: Buffer): Iterable<Buffer> {
  for (let at = 0; at < joined.length; ) {
    const end = at + LENGTH_BYTES + joined.readUInt32BE(at);
    yield joined.subarray(at + LENGTH_BYTES, end);
    at = end;
  }
}

/** A row that has contents or names where they are. */
export interface EventContents extends ProjectScope {
  seq: number;
  event_id: string;
  body: Buffer;
}

/** The number of the event whose row has the body of this one; undefined if that is its own row. */
const bodySeqOf = ({ seq, body }: Pick<EventContents, 'seq' | 'body'>): number | undefined =>
  body.length === ELSEWHERE_BYTES && body[0] === ELSEWHERE ? Number(seq) + body.readUInt16BE(1) : undefined;

/**
 * Opens the bodies of events of a project, wherever they are. Leaves out an event whose body has just been pruned. The org's keys
 * must be ready. Throws `sealed_value_unreadable`.
 */
export async function openBodies(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  project_id: string,
  rows: readonly EventContents[],
): Promise<Map<string, EventBody>> {
  const needed = [...new Set(rows.flatMap((row) => bodySeqOf(row) ?? []))];
  const others = new Map<number, EventContents>();
  for (const chunk of chunks(needed)) {
    const found = await on.read<EventContents>(
      `SELECT seq, event_id, org_id, project_id, ${BODY} FROM bus_events WHERE project_id = ? AND seq IN (${chunk.join(', ')})`,
      [project_id],
    );
    for (const row of found) others.set(Number(row.seq), row);
  }
  const bodies = new Map<string, EventBody>();
  for (const row of rows) {
    const body_seq = bodySeqOf(row);
    const has = body_seq === undefined ? row : others.get(body_seq);
    if (has) bodies.set(row.event_id, await parseBodyYielding(openContents(sealer, has, row.event_id)));
  }
  return bodies;
}

function openContents(sealer: Sealer, has: EventContents, event_id: string): Buffer {
  if (has.body[0] !== SEVERAL) return sealer.open(bodySealContext(has, event_id), has.body);
  const segments = [...splitSegments(sealer.open(severalSealContext(has, has.event_id), has.body.subarray(1)))];
  const at = segments.findIndex((segment, index) => index % 2 === 0 && segment.toString() === event_id);
  if (at < 0) throw errorOfCode('sealed_value_unreadable', `the row of ${has.event_id} has no body of ${event_id}`);
  return segments[at + 1]!;
}

/** Numbers of the events whose rows have the bodies of these events of a project. */
export async function readBodySeqs(
  on: Pick<Queries, 'read'>,
  project_id: string,
  seqs: readonly number[],
): Promise<number[]> {
  const rows = await on.read<Pick<EventContents, 'seq' | 'body'>>(
    `SELECT seq, content AS body FROM bus_events WHERE project_id = ? AND seq IN (${seqs.map(Math.trunc).join(', ')})
     AND LENGTH(content) = ${ELSEWHERE_BYTES}`,
    [project_id],
  );
  return rows.flatMap((row) => bodySeqOf(row) ?? []);
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

/** Returns events of a project by the digests of their deduplication keys. The head must be locked. */
export async function findByDedup(
  tx: Transaction,
  project_id: string,
  dedup_digests: readonly string[],
): Promise<Map<string, { event_id: string; type: string }>> {
  const events_by_digest = new Map<string, { event_id: string; type: string }>();
  for (const chunk of chunks(dedup_digests)) {
    const list = inList(chunk);
    const rows = await tx.read<{ event_id: string; type: string; dedup_digest: string }>(
      `SELECT event_id, type, dedup_digest FROM bus_events WHERE project_id = ? AND dedup_digest IN ${list.placeholders}`,
      [project_id, ...list.params],
    );
    for (const row of rows) events_by_digest.set(row.dedup_digest, row);
  }
  return events_by_digest;
}

/** Returns which of the ids are recorded. */
export async function findRecorded(
  tx: Transaction,
  project_id: string,
  event_ids: readonly string[],
): Promise<Set<string>> {
  const recorded = new Set<string>();
  for (const chunk of chunks(event_ids)) {
    const list = inList(chunk);
    const rows = await tx.read<{ event_id: string }>(
      `SELECT event_id FROM bus_events WHERE ${OF_PROJECT} AND event_id IN ${list.placeholders}`,
      [project_id, ...list.params],
    );
    for (const { event_id } of rows) recorded.add(event_id);
  }
  return recorded;
}

/**
 * Returns an event with its body, or undefined when the project has none with that id and source. The org's keys must
 * be ready.
 */
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
  const body = (await openBodies(on, sealer, scope.project_id, [row])).get(event_id);
  if (!body) return undefined;
  const { event_key: key, trusted, withheld, seq, ...header } = row;
  return {
    event_id: header.event_id,
    org_id: header.org_id,
    project_id: header.project_id,
    type: header.type,
    key,
    payload: body.payload,
    fields: body.fields,
    trace: body.trace ?? null,
    source: header.source,
    source_name: header.source_name,
    generation: Number(header.generation),
    trusted: trusted === 1,
    refusable: false,
    withheld: withheld === 1,
    seq: Number(seq),
    recorded_at: Number(header.recorded_at),
  };
}

/** Returns the events of a project after a sequence number, in order and without their bodies. */
export const listEventsAfter = (
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
  /** Only events from other sources; never empty. */
  excluded_sources?: readonly EventSource[];
  /** Only events before this sequence number. */
  before_seq?: number;
  /**
   * Where a search may stop: events recorded before this time need not be found. Later events are not filtered by it.
   */
  since?: number;
}

/**
 * Lists events of a project, newest first, without their bodies. `searched_to` is set if the search stopped at that
 * event while older ones may match.
 */
export async function listEvents(
  on: Pick<Queries, 'read' | 'sql'>,
  scope: ProjectScope,
  filter: EventFilter,
  limit: number,
  limits?: SearchBounds,
): Promise<{ rows: EventHeader[]; searched_to?: number }> {
  if (!scansRows(filter)) return { rows: await selectPage(on, scope, filter, limit) };
  const { before_seq, since, ...selection } = filter;
  const upTo = (before: SequencePosition | undefined): EventFilter =>
    before ? { ...selection, before_seq: before.seq } : selection;
  const search: Search<EventHeader, SequencePosition> = {
    before: before_seq === undefined ? undefined : { seq: before_seq, recorded_at: 0 },
    limit: limit,
    endOf: (before, rows) => findWindowEnd(on, scope, upTo(before), rows),
    read: (before, from, most) => selectPage(on, scope, upTo(before), most, from?.seq),
    // Times never decrease along the sequence.
    isLast: ({ recorded_at }) => since !== undefined && recorded_at < since,
  };
  const { rows, scanned_to } = await searchInWindows(search, limits);
  return { rows, searched_to: scanned_to?.seq };
}

interface SequencePosition {
  seq: number;
  recorded_at: number;
}

/** Whether rows have to be filtered one by one because no single index covers the filter. */
const scansRows = ({ type, key, source, excluded_sources }: EventFilter): boolean =>
  [type, key, source, excluded_sources].filter((value) => value !== undefined).length > 1;

async function selectPage(
  on: Pick<Queries, 'read' | 'sql'>,
  scope: ProjectScope,
  filter: EventFilter,
  limit: number,
  from?: number,
): Promise<EventHeader[]> {
  // For a list of sources or types an optimizer would read and sort every event of each, so each is queried by itself.
  const statements = splitByIndex(filter).map((single) => selectStatement(on, scope, single, Math.trunc(limit), from));
  // Every source is excluded.
  if (statements.length === 0) return [];
  const statement = statements.map(({ sql }, index) => `SELECT * FROM (${sql}) part_${index}`).join(' UNION ALL ');
  const rows = await on.read<EventHeader>(
    statement,
    statements.flatMap(({ params }) => params),
  );
  return rows.sort((a, b) => Number(b.seq) - Number(a.seq)).slice(0, limit);
}

/** Splits a filter into ones that an index serves each, unless its rows are filtered one by one. */
function splitByIndex({ excluded_sources, ...filter }: EventFilter): EventFilter[] {
  if (scansRows({ excluded_sources, ...filter })) return [{ excluded_sources, ...filter }];
  if (excluded_sources !== undefined)
    return sourcesBut(excluded_sources).flatMap((source) => splitByIndex({ ...filter, source }));
  const types = filter.source === undefined ? undefined : typesOfSource(filter.source);
  return types?.map((type) => ({ ...filter, type })) ?? [filter];
}

interface Condition {
  index: string;
  condition: string;
  param: Param;
}

/** The most selective condition comes first; its index is read from the newest end. */
function indexConditions({ type, key, source }: EventFilter): Condition[] {
  const conditions: Condition[] = [];
  if (key !== undefined)
    conditions.push({ index: 'bus_events_key', condition: 'key_digest = ?', param: digests.key(key) });
  if (type !== undefined) conditions.push({ index: 'bus_events_type', condition: 'type = ?', param: type });
  if (source === undefined) return conditions;
  // The index of sources serves only a filter by source alone.
  const source_only = conditions.length === 0;
  const condition = source_only ? `source = ? AND ${SOURCE_INDEX_CONDITION}` : 'source = ?';
  return [...conditions, { index: 'bus_events_source', condition, param: source }];
}

function selectStatement(
  { sql }: Pick<Queries, 'sql'>,
  { project_id }: ProjectScope,
  filter: EventFilter,
  limit: number,
  from: number | undefined,
): { sql: string; params: Param[] } {
  const conditions = indexConditions(filter);
  const bounds: [string, Param][] = (filter.excluded_sources ?? []).map((source) => ['source <> ?', source]);
  if (filter.before_seq !== undefined) bounds.push(['seq < ?', filter.before_seq]);
  if (from !== undefined) bounds.push(['seq >= ?', from]);
  const all = [...conditions.map(({ condition }) => condition), ...bounds.map(([bound]) => bound)];
  return {
    sql: `SELECT ${HEADER} FROM ${fromIndex(sql, conditions[0])} WHERE ${['project_id = ?', ...all].join(' AND ')}
     ORDER BY seq DESC LIMIT ${limit}`,
    params: [project_id, ...conditions.map(({ param }) => param), ...bounds.map(([, param]) => param)],
  };
}

/** Without the hint an optimizer could choose another index, where a window may span the list of all events. */
const fromIndex = ({ family }: Queries['sql'], lead: Condition | undefined): string =>
  lead === undefined
    ? 'bus_events'
    : `bus_events ${family === 'mysql' ? `FORCE INDEX (${lead.index})` : `INDEXED BY ${lead.index}`}`;

/** Returns the event at which a statement that examines `rows` entries stops, or undefined if there are fewer. */
async function findWindowEnd(
  on: Pick<Queries, 'read' | 'sql'>,
  { project_id }: ProjectScope,
  filter: EventFilter,
  rows: number,
): Promise<SequencePosition | undefined> {
  const [lead] = indexConditions(filter);
  const before_params = filter.before_seq === undefined ? [] : [filter.before_seq];
  // The inner statement reads only the index.
  const [position] = await on.read<SequencePosition>(
    `SELECT seq, recorded_at FROM bus_events WHERE project_id = ? AND seq = (
       SELECT seq FROM ${fromIndex(on.sql, lead)} WHERE project_id = ? AND ${lead!.condition}
         ${before_params.length > 0 ? 'AND seq < ?' : ''} ORDER BY seq DESC LIMIT 1 OFFSET ${Math.trunc(rows) - 1})`,
    [project_id, project_id, lead!.param, ...before_params],
  );
  return position && { seq: Number(position.seq), recorded_at: Number(position.recorded_at) };
}
