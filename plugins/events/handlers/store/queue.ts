import {
  chunks,
  inKeys,
  inList,
  insertRows,
  type Queries,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import type { Capacity } from '../domain/capacity.ts';
import { MEMBER } from '../domain/gates.ts';
import type { StartEvent } from '../domain/start.ts';
import { parseExact } from '../../../platform/schema/contract.ts';

/** A delivery that waits for a slot. */
export interface QueuedDelivery {
  event_seq: number;
  name: string;
  event: StartEvent;
  /** What it waits for, if that is not only a slot. */
  waits?: QueueWait;
  /** Its place in the order in which slots are given. */
  sort_at: number;
  fair_group?: string;
  /** The size of its payload, if it may be part of a batch. */
  bytes?: number;
  /** Set for the first delivery of a batch: its own sequence number. */
  batch?: number;
}

/** What a delivery waits for before it waits for a slot. */
export interface QueueWait {
  /** The group of its handler's concurrency, once it waits for a place of that or has one. */
  admission?: string;
  max_runs?: number;
  /** `BLOCKED`, or the kind of gate. */
  blocked?: number;
  gate?: string;
}

interface QueueRow {
  event_seq: number;
  name: string;
  event_id: string;
  type: string;
  subject: string | null;
  fields: string;
  generation: number;
  trusted: number;
  trace: string | null;
  sort_at: number | null;
  bytes: number | null;
  batch: number | null;
}

const COLUMNS = 'event_seq name event_id type subject fields generation trusted trace sort_at bytes batch'.split(' ');

const parseQueued = ({ event_seq, name, fields, generation, trusted, ...event }: QueueRow): QueuedDelivery => ({
  event_seq: Number(event_seq),
  name,
  sort_at: Number(event.sort_at ?? 0),
  bytes: Number(event.bytes ?? 0),
  ...(event.batch !== null && { batch: Number(event.batch) }),
  event: {
    event_id: event.event_id,
    type: event.type,
    subject: event.subject,
    fields: parseExact(fields) as { [name: string]: Json },
    generation: Number(generation),
    trusted: trusted === 1,
    trace: event.trace ?? undefined,
  },
});

export async function enqueue(
  tx: Transaction,
  { org_id, project_id }: ProjectScope,
  queued: readonly QueuedDelivery[],
  now: number,
): Promise<void> {
  const rows = queued.map(({ event_seq, name, event, waits = {}, sort_at, fair_group, bytes }) => [
    project_id,
    org_id,
    event_seq,
    name,
    event.event_id,
    event.type,
    event.subject,
    JSON.stringify(event.fields),
    event.generation,
    event.trusted ? 1 : 0,
    event.trace ?? null,
    sort_at,
    bytes ?? null,
    null,
    waits.admission ?? null,
    waits.max_runs ?? null,
    waits.blocked ?? null,
    waits.gate ?? null,
    fair_group ?? null,
    now,
  ]);
  const columns = [
    'project_id',
    'org_id',
    ...COLUMNS,
    'admission',
    'max_runs',
    'blocked',
    'gate',
    'fair_group',
    'queued_at',
  ];
  await insertRows(tx, 'INSERT INTO handlers_queue', columns, rows);
}

/** Returns the first deliveries that there may be capacity for: trusted ones before untrusted ones, in the order of their turns. */
export async function listFirstQueued(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  limit: number,
  capacity: Pick<Capacity, 'untrusted'>,
): Promise<QueuedDelivery[]> {
  // Each part reads the beginning of the index.
  const parts = capacity.untrusted > 0 ? [1, 0] : [1];
  const statements = parts.map(
    (trusted) =>
      `SELECT * FROM (SELECT ${COLUMNS.join(', ')} FROM handlers_queue WHERE project_id = ? AND blocked IS NULL
       AND trusted = ${trusted} ORDER BY sort_at, event_seq, name LIMIT ${Math.trunc(limit)}) part_${trusted}`,
  );
  const rows = await on.read<QueueRow>(
    statements.join(' UNION ALL '),
    parts.map(() => project_id),
  );
  return rows.map(parseQueued).sort(compareOrder).slice(0, limit);
}

const compareOrder = (a: QueuedDelivery, b: QueuedDelivery): number =>
  Number(b.event.trusted) - Number(a.event.trusted) ||
  a.sort_at - b.sort_at ||
  a.event_seq - b.event_seq ||
  (a.name < b.name ? -1 : 1);

/** Returns queued deliveries of one handler in event order, starting after `after_seq`. */
export function listQueuedFor(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  name: string,
  after_seq: number,
  limit: number,
): Promise<{ event_seq: number; event_id: string }[]> {
  return on.read(
    `SELECT event_seq, event_id FROM handlers_queue WHERE project_id = ? AND name = ? AND event_seq > ?
     ORDER BY event_seq LIMIT ${Math.trunc(limit)}`,
    [project_id, name, after_seq],
  );
}

export async function dequeue(
  tx: Transaction,
  { project_id }: ProjectScope,
  queued: readonly Pick<QueuedDelivery, 'event_seq' | 'name'>[],
): Promise<void> {
  if (queued.length === 0) return;
  const { condition, params } = inKeys(['event_seq', 'name'], queued);
  await tx.write(`DELETE FROM handlers_queue WHERE project_id = ? AND ${condition}`, [project_id, ...params]);
}

export async function removeQueuedFor(tx: Transaction, { project_id }: ProjectScope, name: string): Promise<void> {
  await tx.write('DELETE FROM handlers_queue WHERE project_id = ? AND name = ?', [project_id, name]);
}

/** Returns the first deliveries that wait at a gate; trusted ones come first. */
export async function listAtGate(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  gate: string,
  limit: number,
): Promise<QueuedDelivery[]> {
  const rows = await on.read<QueueRow>(
    `SELECT ${COLUMNS.join(', ')} FROM handlers_queue WHERE project_id = ? AND gate = ?
     ORDER BY trusted DESC, sort_at, event_seq LIMIT ${Math.trunc(limit)}`,
    [project_id, gate],
  );
  return rows.map(parseQueued);
}

/** Returns the deliveries of a batch, in the order of their events. */
export function listBatch(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  { name, batch }: Pick<QueuedDelivery, 'name'> & { batch: number },
  limit: number,
): Promise<{ event_seq: number; event_id: string }[]> {
  return on.read(
    `SELECT event_seq, event_id FROM handlers_queue WHERE project_id = ? AND batch = ? AND name = ?
     ORDER BY event_seq LIMIT ${Math.trunc(limit)}`,
    [project_id, batch, name],
  );
}

/** Makes deliveries one batch. The first one, which starts the run, goes on as it is. */
export async function joinBatch(
  tx: Transaction,
  { project_id }: ProjectScope,
  deliveries: readonly QueuedDelivery[],
): Promise<void> {
  const [first, ...members] = deliveries;
  const batch = first!.event_seq;
  const generation = Math.max(...deliveries.map(({ event }) => event.generation));
  const leader = inKeys(['event_seq', 'name'], [first!]);
  await tx.write(`UPDATE handlers_queue SET batch = ?, generation = ? WHERE project_id = ? AND ${leader.condition}`, [
    batch,
    generation,
    project_id,
    ...leader.params,
  ]);
  if (members.length === 0) return;
  const { condition, params } = inKeys(['event_seq', 'name'], members);
  await tx.write(
    `UPDATE handlers_queue SET batch = ?, blocked = ${MEMBER}, gate = NULL WHERE project_id = ? AND ${condition}`,
    [batch, project_id, ...params],
  );
}

/** Returns the last turn of each fair_group; fair_groups in which nothing waits are left out. */
export async function readLastSortTimes(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  fair_groups: readonly string[],
): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (const chunk of chunks(fair_groups)) {
    const list = inList(chunk);
    const rows = await on.read<{ fair_group: string; sort_at: number }>(
      `SELECT fair_group, MAX(sort_at) AS sort_at FROM handlers_queue WHERE project_id = ? AND fair_group IN ${list.placeholders}
       GROUP BY fair_group`,
      [project_id, ...list.params],
    );
    for (const { fair_group, sort_at } of rows) times.set(fair_group, Number(sort_at));
  }
  return times;
}

/** Makes deliveries wait for something else. */
export async function changeWaits(
  tx: Transaction,
  { project_id }: ProjectScope,
  queued: readonly QueuedDelivery[],
  {
    admission = null,
    max_runs = null,
    blocked = null,
    gate = null,
  }: { [member in keyof QueueWait]: QueueWait[member] | null },
): Promise<void> {
  if (queued.length === 0) return;
  const { condition, params } = inKeys(['event_seq', 'name'], queued);
  await tx.write(
    `UPDATE handlers_queue SET admission = ?, max_runs = ?, blocked = ?, gate = ? WHERE project_id = ? AND ${condition}`,
    [admission, max_runs, blocked, gate, project_id, ...params],
  );
}

/** Yields the projects with queued deliveries, in byte order. */
export async function* iterateQueuedProjects(on: Pick<Queries, 'read'>): AsyncGenerator<ProjectScope> {
  for (let after = ''; ; ) {
    const [next] = await on.read<ProjectScope>(
      'SELECT project_id, org_id FROM handlers_queue WHERE project_id > ? ORDER BY project_id LIMIT 1',
      [after],
    );
    if (!next) return;
    yield next;
    after = next.project_id;
  }
}

export async function hasQueued(on: Pick<Queries, 'read'>, { project_id }: ProjectScope): Promise<boolean> {
  const rows = await on.read('SELECT 1 AS one FROM handlers_queue WHERE project_id = ? LIMIT 1', [project_id]);
  return rows.length > 0;
}

export async function countQueued(on: Pick<Queries, 'read'>, { project_id }: ProjectScope): Promise<number> {
  const [row] = await on.read<{ n: number }>('SELECT COUNT(*) AS n FROM handlers_queue WHERE project_id = ?', [
    project_id,
  ]);
  return Number(row!.n);
}
