import {
  chunks,
  inList,
  insertRows,
  type Param,
  type Queries,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { WaitRef } from '../../../engine/runs/contract.ts';
import type { Delivery, ProjectScope, StoredEvent } from '../contract.ts';
import { digests } from '../domain/event-rules.ts';
import { UNTRUSTED } from '../domain/untrusted.ts';
import {
  fromWaits,
  matchCondition,
  matchSubset,
  type Predicate,
  untrustedOnlyCondition,
  type WaitSubset,
} from './waits.ts';

const COLUMNS = 'event_id reaction name_digest part project_id name state reason run_id'.split(' ');
const DECLINED_COLUMNS = `${COLUMNS.join(', ')}, others`;
const REASON_POINTS = 2000;
/** Maximum characters of a reason in a list with thousands of others. */
const LISTED_REASON_LENGTH = 300;

/** Maximum number of waits and cancels shown with one event. */
export const MAX_SHOWN = 200;
/** More handlers and webhooks than a project can have. */
const MAX_REACTIONS = 3000;

export interface DeliveryRow {
  reaction: string;
  name: string;
  state: Delivery['state'];
  reason: string | null;
  run_id: string | null;
  /** Set on the row that counts further waits which declined the event. */
  others: number | null;
}

const truncateReason = (text: string | undefined): string | null =>
  text === undefined ? null : [...text].slice(0, REASON_POINTS).join('');

export async function insertDeliveries(
  tx: Transaction,
  { project_id }: ProjectScope,
  deliveries: readonly Delivery[],
): Promise<void> {
  const rows = deliveries.map((delivery): Param[] => [
    delivery.event_id,
    delivery.reaction,
    digests.name(delivery.name),
    '',
    project_id,
    delivery.name,
    delivery.state,
    truncateReason(delivery.reason),
    delivery.run_id ?? null,
  ]);
  await insertRows(tx, 'INSERT INTO bus_deliveries', COLUMNS, rows);
}

/** Updates recorded deliveries; those with the same result share one statement. */
export async function updateDeliveries(
  tx: Transaction,
  { project_id }: ProjectScope,
  deliveries: readonly Delivery[],
): Promise<void> {
  const resultKey = ({ reaction, name, state, reason, run_id }: Delivery): string =>
    JSON.stringify([reaction, name, state, reason, run_id]);
  for (const group of Map.groupBy(deliveries, resultKey).values()) {
    const { reaction, name, state, reason, run_id = null } = group[0]!;
    for (const chunk of chunks(group)) {
      const list = inList(chunk.map(({ event_id }) => event_id));
      await tx.write(
        `UPDATE bus_deliveries SET state = ?, reason = ?, run_id = ?
         WHERE event_id IN ${list.placeholders} AND reaction = ? AND name_digest = ? AND part = '' AND project_id = ?`,
        [state, truncateReason(reason), run_id, ...list.params, reaction, digests.name(name), project_id],
      );
    }
  }
}

const SELECT_DECLINED = `INSERT INTO bus_deliveries (${DECLINED_COLUMNS})
     SELECT ?, 'wait', run_id, CONCAT(activity_id, '/', position), project_id, run_id, 'declined', ?, run_id, NULL`;

/** Records up to `limit` waits whose predicate declined the event. */
export async function insertDeclined(
  tx: Transaction,
  event: StoredEvent,
  { subset, digest }: Pick<Predicate, 'subset' | 'digest'>,
  reason: string,
  limit: number,
): Promise<void> {
  if (limit <= 0) return;
  const { condition, params } = matchSubset(event, subset);
  await tx.write(
    `${SELECT_DECLINED} ${fromWaits(tx)} WHERE ${condition} AND predicate_digest = ?
     ORDER BY run_id LIMIT ${Math.trunc(limit)}`,
    [event.event_id, truncateReason(reason), ...params, digest],
  );
}

/** The columns of a wait that identify it, and those that the condition of an event reads. */
const CONDITION_COLUMNS =
  'run_id, activity_id, position, project_id, type, event_seq, subject_digest, skips, takes_untrusted';

/**
 * Records up to `limit` waits of a subset as declined, without their predicates having been evaluated. Returns how many it has
 * recorded, and how many more there are among the first `scanned` of the subset.
 */
export async function insertRuledOut(
  tx: Transaction,
  event: StoredEvent,
  subset: WaitSubset,
  reason: string,
  { limit, scanned }: { limit: number; scanned: number },
): Promise<{ inserted: number; other_count: number }> {
  const first = `FROM (SELECT ${CONDITION_COLUMNS} ${fromWaits(tx)}
    WHERE project_id = ? AND type = ? AND event_seq IS NULL AND ${subset.condition}
    ORDER BY equality LIMIT ${Math.trunc(scanned)}) ruled_out`;
  const { condition, params } = matchCondition(event);
  const all = [event.project_id, event.type, ...subset.params, ...params];
  const inserted =
    limit <= 0
      ? 0
      : await tx.write(`${SELECT_DECLINED} ${first} WHERE ${condition} ORDER BY run_id LIMIT ${Math.trunc(limit)}`, [
          event.event_id,
          truncateReason(reason),
          ...all,
        ]);
  if (inserted < limit) return { inserted, other_count: 0 };
  const [counted] = await tx.read<{ n: number }>(`SELECT COUNT(*) AS n ${first} WHERE ${condition}`, all);
  return { inserted, other_count: Number(counted!.n) - inserted };
}

/** Records waits that declined the event, each for a reason of its own. */
export async function insertDeclinedWaits(
  tx: Transaction,
  event: StoredEvent,
  waits: readonly (WaitRef & { reason: string })[],
): Promise<void> {
  const rows = waits.map(({ run_id, activity_id, position, reason }): Param[] => [
    event.event_id,
    'wait',
    run_id,
    `${activity_id}/${position}`,
    event.project_id,
    run_id,
    'declined',
    truncateReason(reason),
    run_id,
  ]);
  await insertRows(tx, 'INSERT INTO bus_deliveries', COLUMNS, rows);
}

/** Inserts one row that counts the declining waits without a row of their own. */
export async function insertOtherCount(tx: Transaction, event: StoredEvent, count: number, part = ''): Promise<void> {
  if (count <= 0) return;
  await tx.write(
    `INSERT INTO bus_deliveries (${DECLINED_COLUMNS}) VALUES (?, 'wait', '', ?, ?, '', 'declined', NULL, NULL, ?)`,
    [event.event_id, part, event.project_id, count],
  );
}

/** What distinguishes several waits of one run; a run has one cancel for each type. */
const DELIVERY_PARTS = {
  bus_waits: ['wait', "CONCAT(activity_id, '/', position)"],
  bus_cancels: ['cancel', "''"],
} as const;

/** Records the waits or cancels of trusted runs that ignore an event because an untrusted run emitted it. */
export async function insertUntrustedDeclined(
  tx: Transaction,
  event: StoredEvent,
  table: 'bus_waits' | 'bus_cancels',
): Promise<void> {
  const { condition, params } = untrustedOnlyCondition(event);
  const [reaction, part] = DELIVERY_PARTS[table];
  const inserted = await tx.write(
    `INSERT INTO bus_deliveries (${DECLINED_COLUMNS})
     SELECT ?, '${reaction}', run_id, ${part}, project_id, run_id, 'declined', '${UNTRUSTED}', run_id, NULL
     FROM ${table} WHERE ${condition} ORDER BY run_id LIMIT ${MAX_SHOWN}`,
    [event.event_id, ...params],
  );
  if (inserted < MAX_SHOWN) return;
  const [all] = await tx.read<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table} WHERE ${condition}`, params);
  await insertOtherCount(tx, event, Number(all!.n) - inserted, `${UNTRUSTED} ${reaction}`);
}

/** Returns the deliveries of an event to handlers and webhooks, and the waits and cancels that declined it. */
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

export interface MatchedRow {
  run_id: string;
  state: 'fired' | 'delivered' | 'missed';
}

/** Returns the runs that an event woke or cancelled, up to `limit`, and their total number. */
export async function listMatched(
  on: Pick<Queries, 'read'>,
  table: 'bus_waits' | 'bus_cancels',
  event: Pick<StoredEvent, 'project_id' | 'type' | 'seq'>,
  limit: number,
): Promise<{ rows: MatchedRow[]; count: number }> {
  const params = [event.project_id, event.type, event.seq];
  const where = 'WHERE project_id = ? AND type = ? AND event_seq = ?';
  const rows = await on.read<MatchedRow>(
    `SELECT run_id, state FROM ${table} ${where} ORDER BY run_id LIMIT ${Math.trunc(limit) + 1}`,
    params,
  );
  if (rows.length <= limit) return { rows, count: rows.length };
  const [all] = await on.read<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table} ${where}`, params);
  return { rows: rows.slice(0, limit), count: Number(all!.n) };
}
