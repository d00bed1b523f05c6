import type { Queries, Transaction } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';
import type { Json } from '../../runs/contract.ts';
import type { StartEvent } from '../domain/start.ts';

/** A delivery that waits for a place among the runs at once. */
export interface Queued {
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
}

const COLUMNS = 'event_seq, name, event_id, type, subject, fields, generation, trusted';

const queuedOf = ({ event_seq, name, fields, generation, trusted, ...event }: QueueRow): Queued => ({
  event_seq: Number(event_seq),
  name,
  event: {
    event_id: event.event_id,
    type: event.type,
    subject: event.subject,
    fields: JSON.parse(fields) as { [name: string]: Json },
    generation: Number(generation),
    trusted: trusted === 1,
  },
});

export async function enqueue(
  tx: Transaction,
  { org_id, project_id }: ProjectScope,
  { event_seq, name, event }: Queued,
  now: number,
): Promise<void> {
  await tx.write(
    `INSERT INTO handlers_queue (project_id, org_id, ${COLUMNS}, queued_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
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
      now,
    ],
  );
}

/** The first in the order of their events, and of the names for one event. */
export async function firstQueued(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  limit: number,
): Promise<Queued[]> {
  const rows = await on.read<QueueRow>(
    `SELECT ${COLUMNS} FROM handlers_queue WHERE project_id = ? ORDER BY event_seq, name LIMIT ${Math.trunc(limit)}`,
    [project_id],
  );
  return rows.map(queuedOf);
}

/** Everything that waits for one handler. */
export async function queuedFor(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  name: string,
): Promise<Queued[]> {
  const rows = await on.read<QueueRow>(
    `SELECT ${COLUMNS} FROM handlers_queue WHERE project_id = ? AND name = ? ORDER BY event_seq`,
    [project_id, name],
  );
  return rows.map(queuedOf);
}

export async function dequeue(tx: Transaction, { project_id }: ProjectScope, queued: readonly Queued[]): Promise<void> {
  for (const { event_seq, name } of queued)
    await tx.write('DELETE FROM handlers_queue WHERE project_id = ? AND event_seq = ? AND name = ?', [
      project_id,
      event_seq,
      name,
    ]);
}

export async function removeQueuedFor(tx: Transaction, { project_id }: ProjectScope, name: string): Promise<void> {
  await tx.write('DELETE FROM handlers_queue WHERE project_id = ? AND name = ?', [project_id, name]);
}

export async function countQueued(on: Pick<Queries, 'read'>, { project_id }: ProjectScope): Promise<number> {
  const [row] = await on.read<{ n: number }>('SELECT COUNT(*) AS n FROM handlers_queue WHERE project_id = ?', [
    project_id,
  ]);
  return Number(row!.n);
}
