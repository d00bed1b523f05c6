import {
  chunks,
  inList,
  insertRows,
  inState,
  type Queries,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { ProjectScope, StoredEvent } from '../contract.ts';
import { digests } from '../domain/event-rules.ts';
import { fire, firing, reached } from './waits.ts';

const COLUMNS = 'run_id type org_id project_id subject_digest state armed_seq skips takes_untrusted'.split(' ');

/** An event type that cancels a run. armed → fired → delivered, or missed: the run had ended otherwise. */
export interface NewCancel extends ProjectScope {
  run_id: string;
  type: string;
  subject: string | null;
  armed_seq: number;
  /** Events without a number that must not cancel it. */
  skips: string | null;
  /** Of an untrusted run: only these are cancelled by what untrusted runs emit. */
  takes_untrusted: boolean;
}

export interface FiredCancel extends ProjectScope {
  run_id: string;
  type: string;
  event_id: string;
}

export async function insertCancels(tx: Transaction, cancels: readonly NewCancel[]): Promise<void> {
  const rows = cancels.map(({ run_id, type, org_id, project_id, subject, armed_seq, skips, takes_untrusted }) => [
    run_id,
    type,
    org_id,
    project_id,
    subject === null ? null : digests.key(subject),
    'armed',
    armed_seq,
    skips,
    takes_untrusted ? 1 : null,
  ]);
  await insertRows(tx, 'INSERT INTO bus_cancels', COLUMNS, rows);
}

/** armed → fired. Answers how many. A run's own lifecycle events do not cancel it. */
export function fireCancels(tx: Transaction, event: StoredEvent): Promise<number> {
  const { condition, params } = reached(event);
  const own = event.source === 'lifecycle' ? event.source_name : '';
  return tx.write(`${fire(tx, 'bus_cancels')} WHERE ${condition} AND run_id <> ?`, [...firing(event), ...params, own]);
}

/** Fired cancels without delivery, by run, beginning after `after`. */
export function firedCancels(
  on: Pick<Queries, 'read'>,
  after: FiredCancel | undefined,
  limit: number,
): Promise<FiredCancel[]> {
  const later = 'AND run_id >= ? AND (run_id > ? OR type > ?)';
  return on.read<FiredCancel>(
    `SELECT run_id, type, org_id, project_id, event_id FROM bus_cancels WHERE state = 'fired' ${after ? later : ''}
     ORDER BY run_id, type LIMIT ${Math.trunc(limit)}`,
    after ? [after.run_id, after.run_id, after.type] : [],
  );
}

/** fired → delivered or missed; false when another server did it. */
export async function settleCancel(
  on: Pick<Queries, 'write'>,
  cancel: Pick<FiredCancel, 'run_id' | 'type'>,
  state: 'delivered' | 'missed',
): Promise<boolean> {
  const settled = await on.write(
    `UPDATE bus_cancels SET state = '${state}' WHERE ${inState('fired')} AND run_id = ? AND type = ?`,
    [cancel.run_id, cancel.type],
  );
  return settled === 1;
}

/** Removes the armed cancels of ended runs. */
export async function removeCancels(tx: Transaction, run_ids: readonly string[]): Promise<void> {
  for (const some of chunks(run_ids)) {
    const list = inList(some);
    await tx.write(`DELETE FROM bus_cancels WHERE ${inState('armed')} AND run_id IN ${list.marks}`, list.params);
  }
}
