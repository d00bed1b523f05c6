import {
  insertRows,
  type Page,
  pageOf,
  type Param,
  type Queries,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { Inlet } from '../contract.ts';

/** The number of rejected deliveries that are listed for one inlet. Strangers can cause any number of them. */
const MAX_REJECTED = 100;
const SENT_POINTS = 255;
const REASON_POINTS = 500;

/** Times are epoch milliseconds. */
export interface DeliveryRow extends Inlet {
  delivery_id: string;
  outcome: 'recorded' | 'refused';
  at: number;
  event_id: string | null;
  event_type: string | null;
  sent_id: string | null;
  code: string | null;
  reason: string | null;
  old_secret: number;
  redelivery_of: string | null;
  redelivered_by: string | null;
}

const COLUMNS = `project_id source name delivery_id org_id outcome at event_id event_type sent_id code reason old_secret
  redelivery_of redelivered_by`.split(/\s+/);
const LISTED = COLUMNS.join(', ');
const INLET_CONDITION = 'project_id = ? AND org_id = ? AND source = ? AND name = ?';

const truncate = (text: string | null, points: number): string | null =>
  text === null ? null : [...text].slice(0, points).join('');

/** Inserts deliveries. Existing rows stay unchanged. */
export async function insertDeliveries(tx: Transaction, rows: readonly DeliveryRow[]): Promise<void> {
  const values = rows.map((row): Param[] => [
    row.project_id,
    row.source,
    row.name,
    row.delivery_id,
    row.org_id,
    row.outcome,
    row.at,
    row.event_id,
    row.event_type,
    truncate(row.sent_id, SENT_POINTS),
    row.code,
    truncate(row.reason, REASON_POINTS),
    row.old_secret,
    row.redelivery_of,
    row.redelivered_by,
  ]);
  await insertRows(tx, `${tx.sql.insert_ignore} deliveries_deliveries`, COLUMNS, values);
}

/** Removes all but the newest rejected deliveries of an inlet. */
export async function trimRejected(tx: Transaction, { project_id, source, name }: Inlet): Promise<void> {
  const condition = `project_id = ? AND source = ? AND name = ? AND outcome = 'refused'`;
  const [beyond] = await tx.read<{ delivery_id: string }>(
    `SELECT delivery_id FROM deliveries_deliveries WHERE ${condition}
     ORDER BY delivery_id DESC LIMIT 1 OFFSET ${MAX_REJECTED}`,
    [project_id, source, name],
  );
  if (beyond)
    await tx.write(`DELETE FROM deliveries_deliveries WHERE ${condition} AND delivery_id <= ?`, [
      project_id,
      source,
      name,
      beyond.delivery_id,
    ]);
}

/** Lists deliveries, newest first. */
export async function listDeliveries(
  on: Pick<Queries, 'read'>,
  { org_id, project_id, source, name }: Inlet,
  { before, limit }: Page,
): Promise<{ items: DeliveryRow[]; next_cursor?: string }> {
  const rows = await on.read<DeliveryRow>(
    `SELECT ${LISTED} FROM deliveries_deliveries WHERE ${INLET_CONDITION} ${before === undefined ? '' : 'AND delivery_id < ?'}
     ORDER BY delivery_id DESC LIMIT ${Math.trunc(limit) + 1}`,
    [project_id, org_id, source, name, ...(before === undefined ? [] : [before])],
  );
  return pageOf(rows, limit, ({ delivery_id }) => delivery_id);
}

export async function findDelivery(
  on: Pick<Queries, 'read'>,
  { org_id, project_id, source, name }: Inlet,
  delivery_id: string,
): Promise<DeliveryRow | undefined> {
  const [row] = await on.read<DeliveryRow>(
    `SELECT ${LISTED} FROM deliveries_deliveries WHERE ${INLET_CONDITION} AND delivery_id = ?`,
    [project_id, org_id, source, name, delivery_id],
  );
  return row;
}
