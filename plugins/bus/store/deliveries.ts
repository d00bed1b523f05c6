import {
  chunks,
  inList,
  insertRows,
  type Param,
  type Queries,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { Delivery, ProjectScope, StoredEvent } from '../contract.ts';
import { digests } from '../domain/event-rules.ts';
import { UNTRUSTED } from '../domain/untrusted.ts';
import { guarded, reached } from './waits.ts';

const COLUMNS = 'event_id reaction name_digest part project_id name state reason run_id'.split(' ');
const DECLINED_COLUMNS = `${COLUMNS.join(', ')}, others`;
const REASON_POINTS = 2000;
/** Characters of a reason beside those of thousands of others. */
const LISTED_REASON_LENGTH = 300;

/** Waits and cancels shown with one event. */
export const MAX_SHOWN = 200;
/** Handlers and webhooks: a project has no more. */
const MAX_REACTIONS = 3000;

export interface DeliveryRow {
  reaction: string;
  name: string;
  state: Delivery['state'];
  reason: string | null;
  run_id: string | null;
  /** Set on the row that counts further waits that declined the event. */
  others: number | null;
}

const cut = (text: string | undefined): string | null =>
  text === undefined ? null : [...text].slice(0, REASON_POINTS).join('');

export async function insertDeliveries(
  tx: Transaction,
  { project_id }: ProjectScope,
  deliveries: readonly Delivery[],
): Promise<void> {
  const rows = deliveries.map((one): Param[] => [
    one.event_id,
    one.reaction,
    digests.name(one.name),
    '',
    project_id,
    one.name,
    one.state,
    cut(one.reason),
    one.run_id ?? null,
  ]);
  await insertRows(tx, 'INSERT INTO bus_deliveries', COLUMNS, rows);
}

/** Changes recorded deliveries. Those with the same result share one statement. */
export async function updateDeliveries(
  tx: Transaction,
  { project_id }: ProjectScope,
  deliveries: readonly Delivery[],
): Promise<void> {
  const become = ({ reaction, name, state, reason, run_id }: Delivery): string =>
    JSON.stringify([reaction, name, state, reason, run_id]);
  for (const alike of Map.groupBy(deliveries, become).values()) {
    const { reaction, name, state, reason, run_id = null } = alike[0]!;
    for (const some of chunks(alike)) {
      const list = inList(some.map(({ event_id }) => event_id));
      await tx.write(
        `UPDATE bus_deliveries SET state = ?, reason = ?, run_id = ?
         WHERE event_id IN ${list.marks} AND reaction = ? AND name_digest = ? AND part = '' AND project_id = ?`,
        [state, cut(reason), run_id, ...list.params, reaction, digests.name(name), project_id],
      );
    }
  }
}

/** Records up to `most` waits whose predicate declined the event. */
export async function noteDeclined(
  tx: Transaction,
  event: StoredEvent,
  predicate: { digest: string; reason: string },
  most: number,
): Promise<void> {
  if (most <= 0) return;
  const { condition, params } = reached(event);
  await tx.write(
    `INSERT INTO bus_deliveries (${DECLINED_COLUMNS})
     SELECT ?, 'wait', run_id, CONCAT(activity_id, '/', position), project_id, run_id, 'declined', ?, run_id, NULL
     FROM bus_waits WHERE ${condition} AND predicate_digest = ? ORDER BY run_id LIMIT ${Math.trunc(most)}`,
    [event.event_id, cut(predicate.reason), ...params, predicate.digest],
  );
}

/** One row that counts the declining waits without a row of their own. */
export async function noteOthers(tx: Transaction, event: StoredEvent, others: number, part = ''): Promise<void> {
  if (others <= 0) return;
  await tx.write(
    `INSERT INTO bus_deliveries (${DECLINED_COLUMNS}) VALUES (?, 'wait', '', ?, ?, '', 'declined', NULL, NULL, ?)`,
    [event.event_id, part, event.project_id, others],
  );
}

/** What tells several waits of one run apart; a run has one cancel for each type. */
const PLACES = { bus_waits: ['wait', "CONCAT(activity_id, '/', position)"], bus_cancels: ['cancel', "''"] } as const;

/** Records waits or cancels of trusted runs that an event of an untrusted run leaves as they are. */
export async function noteUntrusted(
  tx: Transaction,
  event: StoredEvent,
  table: 'bus_waits' | 'bus_cancels',
): Promise<void> {
  const { condition, params } = guarded(event);
  const [reaction, part] = PLACES[table];
  const noted = await tx.write(
    `INSERT INTO bus_deliveries (${DECLINED_COLUMNS})
     SELECT ?, '${reaction}', run_id, ${part}, project_id, run_id, 'declined', '${UNTRUSTED}', run_id, NULL
     FROM ${table} WHERE ${condition} ORDER BY run_id LIMIT ${MAX_SHOWN}`,
    [event.event_id, ...params],
  );
  if (noted < MAX_SHOWN) return;
  const [all] = await tx.read<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table} WHERE ${condition}`, params);
  await noteOthers(tx, event, Number(all!.n) - noted, `${UNTRUSTED} ${reaction}`);
}

/** Deliveries of an event to handlers and webhooks, and waits and cancels that declined it. */
export function readDeliveries(
  on: Pick<Queries, 'read'>,
  scope: ProjectScope,
  event_id: string,
): Promise<DeliveryRow[]> {
  return on.read<DeliveryRow>(
    `SELECT reaction, name, state, SUBSTR(reason, 1, ${LISTED_REASON_LENGTH}) AS reason, run_id, others FROM bus_deliveries
     WHERE event_id = ? AND project_id = ? AND replayed_at IS NULL
     ORDER BY reaction, name, part LIMIT ${MAX_REACTIONS + 3 * (MAX_SHOWN + 1)}`,
    [event_id, scope.project_id],
  );
}

export interface FiredRow {
  run_id: string;
  state: 'fired' | 'delivered' | 'missed';
}

/** Runs that an event woke or cancelled, limited, and their total number. */
export async function readFired(
  on: Pick<Queries, 'read'>,
  table: 'bus_waits' | 'bus_cancels',
  event: Pick<StoredEvent, 'project_id' | 'type' | 'seq'>,
  limit: number,
): Promise<{ rows: FiredRow[]; count: number }> {
  const params = [event.project_id, event.type, event.seq];
  const where = 'WHERE project_id = ? AND type = ? AND event_seq = ?';
  const rows = await on.read<FiredRow>(
    `SELECT run_id, state FROM ${table} ${where} ORDER BY run_id LIMIT ${Math.trunc(limit) + 1}`,
    params,
  );
  if (rows.length <= limit) return { rows, count: rows.length };
  const [all] = await on.read<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table} ${where}`, params);
  return { rows: rows.slice(0, limit), count: Number(all!.n) };
}
