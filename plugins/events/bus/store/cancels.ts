import {
  chunks,
  inList,
  insertRows,
  inState,
  mayHaveRows,
  type Queries,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { ProjectScope, StoredEvent } from '../contract.ts';
import { digests } from '../domain/event-rules.ts';
import { updateMatched, matchParams, matchCondition } from './waits.ts';

const COLUMNS = 'run_id type org_id project_id subject_digest state armed_seq skips takes_untrusted'.split(' ');

/**
 * An event type that cancels a run. It goes from armed to fired to delivered, or to missed if the run ended
 * otherwise.
 */
export interface NewCancel extends ProjectScope {
  run_id: string;
  type: string;
  subject: string | null;
  armed_seq: number;
  /** Ids of events without a number yet that must not cancel it. */
  skips: string | null;
  /** Only untrusted runs are cancelled by events that untrusted runs emit. */
  takes_untrusted: boolean;
}

export interface MatchedCancel extends ProjectScope {
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

/** Marks cancels as fired and returns how many. A run's own lifecycle events do not cancel it. */
export function matchCancels(tx: Transaction, event: StoredEvent): Promise<number> {
  const { condition, params } = matchCondition(event);
  const own_run_id = event.source === 'lifecycle' ? event.source_name : '';
  return tx.write(`${updateMatched(tx, 'bus_cancels')} WHERE ${condition} AND run_id <> ?`, [
    ...matchParams(event),
    ...params,
    own_run_id,
  ]);
}

/** Returns fired cancels that are not delivered yet, ordered by run, starting after `after`. */
export function listMatchedCancels(
  on: Pick<Queries, 'read'>,
  after: MatchedCancel | undefined,
  limit: number,
): Promise<MatchedCancel[]> {
  const later = 'AND run_id >= ? AND (run_id > ? OR type > ?)';
  return on.read<MatchedCancel>(
    `SELECT run_id, type, org_id, project_id, event_id FROM bus_cancels WHERE state = 'fired' ${after ? later : ''}
     ORDER BY run_id, type LIMIT ${Math.trunc(limit)}`,
    after ? [after.run_id, after.run_id, after.type] : [],
  );
}

/** Marks a fired cancel as delivered or missed; returns false when another server already did. */
export async function completeCancel(
  on: Pick<Queries, 'write'>,
  cancel: Pick<MatchedCancel, 'run_id' | 'type'>,
  state: 'delivered' | 'missed',
): Promise<boolean> {
  const updated = await on.write(
    `UPDATE bus_cancels SET state = '${state}' WHERE ${inState('fired')} AND run_id = ? AND type = ?`,
    [cancel.run_id, cancel.type],
  );
  return updated === 1;
}

/** Removes the armed cancels of ended runs. */
export async function removeCancels(tx: Transaction, run_ids: readonly string[]): Promise<void> {
  if (run_ids.length === 0 || !(await mayHaveRows(tx, 'bus_cancels'))) return;
  for (const chunk of chunks(run_ids)) {
    const list = inList(chunk);
    await tx.write(`DELETE FROM bus_cancels WHERE ${inState('armed')} AND run_id IN ${list.placeholders}`, list.params);
  }
}
