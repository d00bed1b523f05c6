import { inKeys, insertRows, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import type { Capacity } from '../domain/capacity.ts';
import type { StartEvent } from '../domain/start.ts';
import { parseExact } from '../../../platform/schema/contract.ts';

/** A delivery that waits for a slot. */
export interface QueuedDelivery {
  event_seq: number;
  name: string;
  event: StartEvent;
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
}

const COLUMNS = 'event_seq name event_id type subject fields generation trusted trace'.split(' ');

const parseQueued = ({ event_seq, name, fields, generation, trusted, ...event }: QueueRow): QueuedDelivery => ({
  event_seq: Number(event_seq),
  name,
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
  const rows = queued.map(({ event_seq, name, event }) => [
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
    now,
  ]);
  const columns = ['project_id', 'org_id', ...COLUMNS, 'queued_at'];
  await insertRows(tx, 'INSERT INTO handlers_queue', columns, rows);
}

/** Returns the first deliveries that there may be capacity for, ordered by event and then by name. */
export async function listFirstQueued(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  limit: number,
  capacity: Pick<Capacity, 'untrusted'>,
): Promise<QueuedDelivery[]> {
  const waiting = capacity.untrusted > 0 ? '' : 'AND trusted = 1';
  const rows = await on.read<QueueRow>(
    `SELECT ${COLUMNS.join(', ')} FROM handlers_queue WHERE project_id = ? ${waiting} ORDER BY event_seq, name LIMIT ${Math.trunc(limit)}`,
    [project_id],
  );
  return rows.map(parseQueued);
}

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
  queued: readonly QueuedDelivery[],
): Promise<void> {
  if (queued.length === 0) return;
  const { condition, params } = inKeys(['event_seq', 'name'], queued);
  await tx.write(`DELETE FROM handlers_queue WHERE project_id = ? AND ${condition}`, [project_id, ...params]);
}

export async function removeQueuedFor(tx: Transaction, { project_id }: ProjectScope, name: string): Promise<void> {
  await tx.write('DELETE FROM handlers_queue WHERE project_id = ? AND name = ?', [project_id, name]);
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
