import {
  chunks,
  inList,
  insertRows,
  type Param,
  type Queries,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { AuditSource } from '../../../platform/audit/contract.ts';
import type { EventSource, InboundDelivery, PendingEvent, ProjectScope } from '../contract.ts';

const COLUMNS = `event_id project_id org_id type event_key body source source_name generation trusted withheld made_at
  asked`.split(/\s+/);

/** Maximum bytes of bodies numbered in one transaction, unless a single one is larger. */
const MAX_DRAINED_BYTES = 4 * 1024 * 1024;

/** What the numbering server needs to answer a caller on another server, stored as JSON. */
export interface ForwardRequest {
  dedup?: string;
  refusable: boolean;
  delivery?: InboundDelivery;
  by?: AuditSource;
}

/** An event that waits for its sequence number. */
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

/** Inserts events. One that exists already is left alone: the response to its first commit was lost. */
export async function insertPending(
  tx: Pick<Transaction, 'write' | 'sql'>,
  pending: readonly { event: PendingEvent; sealed: Buffer; request?: ForwardRequest }[],
  now: number,
): Promise<void> {
  const rows = pending.map(({ event, sealed, request }): Param[] => [
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
    request === undefined ? null : JSON.stringify(request),
  ]);
  await insertRows(tx, 'INSERT INTO bus_outbox', COLUMNS, rows, tx.sql.upsert(['event_id'], []));
}

/** Names the index, because an optimizer that sees a list or an order would read everything that waits. */
const indexed = ({ family }: Queries['sql'], index: string): string =>
  `bus_outbox ${family === 'mysql' ? `FORCE INDEX (${index})` : `INDEXED BY ${index}`}`;

/**
 * Locks and returns the oldest events of a project without a number, up to `limit` and the maximum bytes. The head
 * must be locked, and the caller must remove them.
 */
export async function readPending(tx: Pick<Transaction, 'read' | 'lock' | 'sql'>, project_id: string, limit: number) {
  const oldest = await tx.read<{ event_id: string; size: number }>(
    `SELECT event_id, LENGTH(body) AS size FROM ${indexed(tx.sql, 'bus_outbox_pending')} WHERE project_id = ? AND failed_at IS NULL
     ORDER BY made_at, event_id LIMIT ${Math.trunc(limit)}`,
    [project_id],
  );
  let bytes = 0;
  const batch = oldest.filter(({ size }, at) => {
    bytes += Number(size);
    return at === 0 || bytes <= MAX_DRAINED_BYTES;
  });
  if (batch.length === 0) return [];
  const list = inList(batch.map(({ event_id }) => event_id));
  return lockPending(tx, `event_id IN ${list.placeholders}`, list.params);
}

/**
 * Returns the first events of these runs that have no number; they must precede the later ones. The head must be
 * locked.
 */
export async function readFirstEvents(
  tx: Pick<Transaction, 'read' | 'lock' | 'sql'>,
  project_id: string,
  run_ids: readonly string[],
): Promise<OutboxRow[]> {
  const rows: OutboxRow[] = [];
  for (const chunk of chunks(run_ids)) {
    const list = inList(chunk);
    const first = await tx.read<{ event_id: string }>(
      `SELECT event_id FROM ${indexed(tx.sql, 'bus_outbox_emitter')} WHERE project_id = ?
       AND source_name IN ${list.placeholders} AND type IN ('manual', 'spawn', 'run.started')`,
      [project_id, ...list.params],
    );
    for (const some of chunks(first)) {
      const ids = inList(some.map(({ event_id }) => event_id));
      rows.push(...(await lockPending(tx, `event_id IN ${ids.placeholders} AND failed_at IS NULL`, ids.params)));
    }
  }
  return rows;
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

/** Sets an event aside that cannot be recorded, so that it does not hold up the others. */
export async function setAside(tx: Transaction, event_id: string, now: number): Promise<void> {
  await tx.write('UPDATE bus_outbox SET failed_at = ? WHERE event_id = ?', [now, event_id]);
}

/** Makes events that were set aside before this time eligible again. */
export const retrySetAside = (on: Pick<Queries, 'write'>, before: number): Promise<number> =>
  on.write('UPDATE bus_outbox SET failed_at = NULL WHERE failed_at < ?', [before]);

/** The caller holds the head, so nobody else removes them. */
export async function removePending(tx: Transaction, event_ids: readonly string[]): Promise<void> {
  for (const chunk of chunks(event_ids)) {
    const list = inList(chunk);
    await tx.write(`DELETE FROM bus_outbox WHERE event_id IN ${list.placeholders}`, list.params);
  }
  tx.skipConflictGuard(
    'bus_outbox',
    event_ids.map((event_id) => [event_id]),
  );
}

/** Withdraws an event that has no number yet; returns false if it has one by now. */
export const withdrawPending = async (on: Pick<Queries, 'write'>, event_id: string): Promise<boolean> =>
  (await on.write('DELETE FROM bus_outbox WHERE event_id = ?', [event_id])) === 1;

/** Returns projects with events that have no number, in byte order, starting after `after`. Reads one row of each. */
export async function pendingProjects(
  on: Pick<Queries, 'read' | 'sql'>,
  after: string,
  limit: number,
): Promise<ProjectScope[]> {
  const projects: ProjectScope[] = [];
  while (projects.length < limit) {
    const [next] = await on.read<ProjectScope>(
      `SELECT project_id, org_id FROM ${indexed(on.sql, 'bus_outbox_pending')}
       WHERE failed_at IS NULL AND project_id > ? ORDER BY project_id LIMIT 1`,
      [projects.at(-1)?.project_id ?? after],
    );
    if (!next) break;
    projects.push(next);
  }
  return projects;
}

/** How many events `skips` of one type names. More would make each wait that is armed during a backlog large. */
export const MAX_SKIPS = 500;

/**
 * Returns, for each type, the events that are still without a number, in the format of the column `skips`: their ids, or the
 * newest `MAX_SKIPS` after a `<`, oldest first, which stands for all events with smaller ids. Types without any are left out.
 */
export async function readSkips(
  on: Pick<Queries, 'read' | 'sql'>,
  project_id: string,
  types: readonly string[],
): Promise<Map<string, string>> {
  const skips = new Map<string, string>();
  const read = (condition: string, params: readonly Param[], order: string) =>
    on.read<{ type: string; event_id: string }>(
      `SELECT type, event_id FROM ${indexed(on.sql, 'bus_outbox_type')} WHERE project_id = ? AND ${condition}
       ${order} LIMIT ${MAX_SKIPS + 1}`,
      [project_id, ...params],
    );
  for (const chunk of chunks(types)) {
    const list = inList(chunk);
    const rows = await read(`type IN ${list.placeholders}`, list.params, '');
    if (rows.length <= MAX_SKIPS) {
      for (const { type, event_id } of rows) skips.set(type, `${skips.get(type) ?? ''} ${event_id}`.trim());
      continue;
    }
    for (const type of chunk) {
      const newest = await read('type = ?', [type], 'ORDER BY event_id DESC');
      const ids = newest.slice(0, MAX_SKIPS).map(({ event_id }) => event_id);
      if (ids.length > 0) skips.set(type, `${newest.length > MAX_SKIPS ? '<' : ''}${ids.reverse().join(' ')}`);
    }
  }
  return skips;
}

/** Selects rows whose `skips` does not stand for an event. Its id is needed three times. */
export const NOT_SKIPPED = `(skips IS NULL OR (INSTR(skips, ?) = 0
      AND (SUBSTR(skips, 1, 1) <> '<' OR SUBSTR(skips, 2, LENGTH(?)) < ?)))`;
