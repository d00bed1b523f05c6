import { chunks, inList, insertRows, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';

/** The outcome of an event that a caller on another server waits for, as JSON. */
export interface OutcomeRow {
  event_id: string;
  outcome: string;
}

export async function insertOutcomes(
  on: Pick<Transaction, 'write' | 'sql'>,
  outcomes: readonly OutcomeRow[],
  now: number,
): Promise<void> {
  const rows = outcomes.map(({ event_id, outcome }) => [event_id, outcome, now]);
  await insertRows(on, `${on.sql.insert_ignore} bus_answers`, ['event_id', 'outcome', 'answered_at'], rows);
}

export async function readOutcomes(on: Pick<Queries, 'read'>, event_ids: readonly string[]): Promise<OutcomeRow[]> {
  const rows: OutcomeRow[] = [];
  for (const chunk of chunks(event_ids)) {
    const list = inList(chunk);
    rows.push(
      ...(await on.read<OutcomeRow>(
        `SELECT event_id, outcome FROM bus_answers WHERE event_id IN ${list.placeholders}`,
        list.params,
      )),
    );
  }
  return rows;
}

/**
 * Whoever waited for these has fetched them or crashed. They are deleted together because every commit goes to all
 * nodes.
 */
export const pruneOutcomeRows = (on: Pick<Queries, 'write'>, before: number): Promise<number> =>
  on.write('DELETE FROM bus_answers WHERE answered_at < ?', [before]);
