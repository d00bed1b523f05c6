import { chunks, inList, insertRows, type Queries, type Transaction } from '../../../kernel/contracts/index.ts';

/** What became of an event that a caller of another server waits for. JSON. */
export interface AnswerRow {
  event_id: string;
  outcome: string;
}

export async function insertAnswers(
  on: Pick<Transaction, 'write' | 'sql'>,
  answers: readonly AnswerRow[],
  now: number,
): Promise<void> {
  const rows = answers.map(({ event_id, outcome }) => [event_id, outcome, now]);
  await insertRows(on, `${on.sql.insert_ignore} bus_answers`, ['event_id', 'outcome', 'answered_at'], rows);
}

export async function readAnswers(on: Pick<Queries, 'read'>, event_ids: readonly string[]): Promise<AnswerRow[]> {
  const found: AnswerRow[] = [];
  for (const some of chunks(event_ids)) {
    const list = inList(some);
    found.push(
      ...(await on.read<AnswerRow>(
        `SELECT event_id, outcome FROM bus_answers WHERE event_id IN ${list.marks}`,
        list.params,
      )),
    );
  }
  return found;
}

/** Whoever waited for these has fetched them, or has died. Together, because each commit goes to all nodes. */
export const forgetAnswers = (on: Pick<Queries, 'write'>, before: number): Promise<number> =>
  on.write('DELETE FROM bus_answers WHERE answered_at < ?', [before]);
