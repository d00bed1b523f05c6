import {
  chunks,
  inList,
  insertRows,
  type Param,
  type Queries,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { AuditSource } from '../../audit/contract.ts';
import type { EventSource, PendingEvent, ProjectScope } from '../contract.ts';

const COLUMNS = `event_id project_id org_id type event_key body source source_name generation trusted withheld made_at
  asked`.split(/\s+/);
/** Events that an arming wait compares with; more of one type are never on their way for long. */
const MAX_SKIPPED = 1000;

/** What the numbering server needs to answer a caller of another one. JSON. */
export interface Asked {
  dedup?: string;
  refusable: boolean;
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
  await insertRows(tx, `${tx.sql.insert_ignore} bus_outbox`, COLUMNS, rows);
}

/** The oldest events of a project that have no number. The head must be locked. */
export function readPending(on: Pick<Queries, 'read'>, project_id: string, limit: number): Promise<OutboxRow[]> {
  return on.read<OutboxRow>(
    `SELECT ${COLUMNS.join(', ')} FROM bus_outbox WHERE project_id = ? ORDER BY made_at, event_id
     LIMIT ${Math.trunc(limit)}`,
    [project_id],
  );
}

/** The caller holds the head, so that nobody else removes them. */
export async function removePending(tx: Transaction, event_ids: readonly string[]): Promise<void> {
  for (const some of chunks(event_ids)) {
    const list = inList(some);
    await tx.write(`DELETE FROM bus_outbox WHERE event_id IN ${list.marks}`, list.params);
  }
}

/** Takes back an event that has no number yet; false when it has one by now. */
export const withdrawPending = async (on: Pick<Queries, 'write'>, event_id: string): Promise<boolean> =>
  (await on.write('DELETE FROM bus_outbox WHERE event_id = ?', [event_id])) === 1;

/** Projects with events that have no number. */
export function pendingProjects(on: Pick<Queries, 'read'>, limit: number): Promise<ProjectScope[]> {
  return on.read<ProjectScope>(`SELECT DISTINCT project_id, org_id FROM bus_outbox LIMIT ${Math.trunc(limit)}`);
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
      `SELECT type, event_id FROM bus_outbox WHERE project_id = ? AND type IN ${list.marks} LIMIT ${MAX_SKIPPED}`,
      [project_id, ...list.params],
    );
    for (const { type, event_id } of rows) found.set(type, `${found.get(type) ?? ''} ${event_id}`.trim());
  }
  return found;
}
