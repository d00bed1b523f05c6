import {
  chunks,
  inList,
  insertRows,
  type Param,
  type Queries,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { AuditSource } from '../../audit/contract.ts';
import type { EventSource, InboundDelivery, PendingEvent, ProjectScope } from '../contract.ts';

const COLUMNS = `event_id project_id org_id type event_key body source source_name generation trusted withheld made_at
  asked`.split(/\s+/);

/** Bodies that are numbered in one transaction, unless one alone is larger. */
const DRAINED_BYTES = 4 * 1024 * 1024;

/** What the numbering server needs to answer a caller of another one. JSON. */
export interface Asked {
  dedup?: string;
  refusable: boolean;
  delivery?: InboundDelivery;
  by?: AuditSource;
}

/** An event that waits for its number. */
export interface OutboxRow extends ProjectScope {
  event_id: string;
  type: string;
  event_key: string | null;
  body: Buffer;
  source: EventSource;
  source_name: string;
  generation: number;
  trusted: number;
  withheld: number;
  asked: string | null;
}

/** One that is there already is left as it is: its first commit was not answered. */
export async function insertPending(
  tx: Pick<Transaction, 'write' | 'sql'>,
  pending: readonly { event: PendingEvent; sealed: Buffer; asked?: Asked }[],
  now: number,
): Promise<void> {
  const rows = pending.map(({ event, sealed, asked }): Param[] => [
    event.event_id,
    event.project_id,
    event.org_id,
    event.type,
    event.key,
    sealed,
    event.source,
    event.source_name,
    event.generation,
    event.trusted ? 1 : 0,
    event.withheld ? 1 : 0,
    now,
    asked === undefined ? null : JSON.stringify(asked),
  ]);
  await insertRows(tx, 'INSERT INTO bus_outbox', COLUMNS, rows, tx.sql.upsert(['event_id'], []));
}

/**
 * The oldest events of a project that have no number, up to `limit` and to so many bytes. The head must be locked;
 * whoever reads them removes them.
 */
export async function readPending(tx: Pick<Transaction, 'read' | 'lock'>, project_id: string, limit: number) {
  const oldest = await tx.read<{ event_id: string; size: number }>(
    `SELECT event_id, LENGTH(body) AS size FROM bus_outbox WHERE project_id = ? AND failed_at IS NULL
     ORDER BY made_at, event_id LIMIT ${Math.trunc(limit)}`,
    [project_id],
  );
  let bytes = 0;
  const fitting = oldest.filter(({ size }, at) => {
    bytes += Number(size);
    return at === 0 || bytes <= DRAINED_BYTES;
  });
  if (fitting.length === 0) return [];
  const list = inList(fitting.map(({ event_id }) => event_id));
  return lockPending(tx, `event_id IN ${list.marks}`, list.params);
}

/** The first events of these runs that have no number: they come before the later ones. The head must be locked. */
export async function readFirstOf(tx: Pick<Transaction, 'lock'>, project_id: string, run_ids: readonly string[]) {
  const found: OutboxRow[] = [];
  for (const some of chunks(run_ids)) {
    const list = inList(some);
    const first = `project_id = ? AND failed_at IS NULL AND type IN ('manual', 'spawn', 'run.started')`;
    found.push(...(await lockPending(tx, `${first} AND source_name IN ${list.marks}`, [project_id, ...list.params])));
  }
  return found;
}

const lockPending = (tx: Pick<Transaction, 'lock'>, where: string, params: readonly Param[]): Promise<OutboxRow[]> =>
  tx.lock<OutboxRow>({
    table: 'bus_outbox',
    key: ['event_id'],
    columns: COLUMNS.join(', '),
    where,
    params,
    order: 'made_at, event_id',
  });

/** Puts an event aside that cannot be recorded, so that it holds up no other. */
export async function putAside(tx: Transaction, event_id: string, now: number): Promise<void> {
  await tx.write('UPDATE bus_outbox SET failed_at = ? WHERE event_id = ?', [now, event_id]);
}

/** What was put aside before this time is tried again. */
export const tryAgain = (on: Pick<Queries, 'write'>, before: number): Promise<number> =>
  on.write('UPDATE bus_outbox SET failed_at = NULL WHERE failed_at < ?', [before]);

/** The caller holds the head, so that nobody else removes them. */
export async function removePending(tx: Transaction, event_ids: readonly string[]): Promise<void> {
  for (const some of chunks(event_ids)) {
    const list = inList(some);
    await tx.write(`DELETE FROM bus_outbox WHERE event_id IN ${list.marks}`, list.params);
  }
  tx.settled(
    'bus_outbox',
    event_ids.map((event_id) => [event_id]),
  );
}

/** Takes back an event that has no number yet; false when it has one by now. */
export const withdrawPending = async (on: Pick<Queries, 'write'>, event_id: string): Promise<boolean> =>
  (await on.write('DELETE FROM bus_outbox WHERE event_id = ?', [event_id])) === 1;

/** Projects with events that have no number, in byte order after one. */
export function pendingProjects(on: Pick<Queries, 'read'>, after: string, limit: number): Promise<ProjectScope[]> {
  return on.read<ProjectScope>(
    `SELECT DISTINCT project_id, org_id FROM bus_outbox WHERE project_id > ? AND failed_at IS NULL
     ORDER BY project_id LIMIT ${Math.trunc(limit)}`,
    [after],
  );
}

/** The events of a type that were made before now and have no number, as `skips`; null when there are none. */
export async function skipsOf(
  on: Pick<Queries, 'read'>,
  project_id: string,
  types: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const some of chunks(types)) {
    const list = inList(some);
    const rows = await on.read<{ type: string; event_id: string }>(
      `SELECT type, event_id FROM bus_outbox WHERE project_id = ? AND type IN ${list.marks}`,
      [project_id, ...list.params],
    );
    for (const { type, event_id } of rows) found.set(type, `${found.get(type) ?? ''} ${event_id}`.trim());
  }
  return found;
}
