import {
  chunks,
  inKeys,
  insertRows,
  type Param,
  type Queries,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';
import { lowestId } from '../../../platform/retention/contract.ts';

/** A delivery that has failed for good. */
export interface DeadLetter {
  letter_id: string;
  event_id: string;
  type: string;
  name: string;
  /** The run that failed; null if none started. */
  run_id: string | null;
  /** Epoch ms. */
  failed_at: number;
  /** Why no run started. */
  reason: string | null;
}

export interface DeadLetterFilter {
  name?: string | undefined;
  type?: string | undefined;
  /** Only letters from this time on. */
  since?: number | undefined;
  /** Only letters before this time. */
  until?: number | undefined;
}

const COLUMNS = 'project_id letter_id org_id event_id type name run_id failed_at reason'.split(' ');
const READ = 'letter_id, event_id, type, name, run_id, failed_at, reason';

const parse = (row: DeadLetter): DeadLetter => ({ ...row, failed_at: Number(row.failed_at) });

/** Records letters; each replaces an earlier one of the same event and handler. The project's bus is locked. */
export async function insertDeadLetters(
  tx: Transaction,
  scope: ProjectScope,
  letters: readonly DeadLetter[],
): Promise<void> {
  if (letters.length === 0) return;
  const last = new Map(letters.map((letter) => [`${letter.event_id} ${letter.name}`, letter]));
  await removeLettersOf(tx, scope, [...last.values()]);
  const rows = [...last.values()].map(({ letter_id, event_id, type, name, run_id, failed_at, reason }): Param[] => [
    scope.project_id,
    letter_id,
    scope.org_id,
    event_id,
    type,
    name,
    run_id,
    failed_at,
    reason,
  ]);
  await insertRows(tx, 'INSERT INTO handlers_dead_letters', COLUMNS, rows);
}

/** Removes the letters of deliveries that are made again. */
export async function removeLettersOf(
  tx: Transaction,
  { project_id }: ProjectScope,
  deliveries: readonly Pick<DeadLetter, 'event_id' | 'name'>[],
): Promise<void> {
  for (const chunk of chunks(deliveries)) {
    const { condition, params } = inKeys(
      ['project_id', 'event_id', 'name'],
      chunk.map(({ event_id, name }) => ({ project_id, event_id, name })),
    );
    await tx.write(`DELETE FROM handlers_dead_letters WHERE ${condition}`, params);
  }
}

function conditionsOf({ name, type, since, until }: DeadLetterFilter): { conditions: string[]; params: Param[] } {
  const found: [string, Param][] = [];
  if (name !== undefined) found.push(['name = ?', name]);
  if (type !== undefined) found.push(['type = ?', type]);
  // The IDs begin with the time.
  if (since !== undefined) found.push(['letter_id >= ?', lowestId('dlt', since)]);
  if (until !== undefined) found.push(['letter_id < ?', lowestId('dlt', until)]);
  return { conditions: found.map(([condition]) => condition), params: found.map(([, value]) => value) };
}

/** Lists letters, newest first; `after`: the oldest first, after this one. Each filter has its own index. */
export async function listDeadLetters(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  filter: DeadLetterFilter,
  { limit, before, after }: { limit: number; before?: string | undefined; after?: string | undefined },
): Promise<DeadLetter[]> {
  const { conditions, params } = conditionsOf(filter);
  if (before !== undefined) conditions.push('letter_id < ?');
  if (after !== undefined) conditions.push('letter_id > ?');
  const rows = await on.read<DeadLetter>(
    `SELECT ${READ} FROM handlers_dead_letters WHERE ${['project_id = ?', ...conditions].join(' AND ')}
     ORDER BY letter_id ${after === undefined ? 'DESC' : 'ASC'} LIMIT ${Math.trunc(limit)}`,
    [project_id, ...params, ...[before, after].filter((id) => id !== undefined)],
  );
  return rows.map(parse);
}

export async function findDeadLetter(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  letter_id: string,
): Promise<DeadLetter | undefined> {
  const [row] = await on.read<DeadLetter>(
    `SELECT ${READ} FROM handlers_dead_letters WHERE project_id = ? AND letter_id = ?`,
    [project_id, letter_id],
  );
  return row && parse(row);
}

/** Removes letters, and returns how many there were. */
export async function removeDeadLetters(
  tx: Pick<Queries, 'write'>,
  { project_id }: ProjectScope,
  letter_ids: readonly string[],
): Promise<number> {
  let removed = 0;
  for (const chunk of chunks(letter_ids)) {
    const { condition, params } = inKeys(
      ['project_id', 'letter_id'],
      chunk.map((letter_id) => ({ project_id, letter_id })),
    );
    removed += await tx.write(`DELETE FROM handlers_dead_letters WHERE ${condition}`, params);
  }
  return removed;
}

/** Removes the letters of a handler. */
export const removeLettersOfHandler = (tx: Transaction, { project_id }: ProjectScope, name: string): Promise<number> =>
  tx.write('DELETE FROM handlers_dead_letters WHERE project_id = ? AND name = ?', [project_id, name]);

/** Letters that are counted, the newest ones, however many there are. */
const MAX_COUNTED = 1000;

/** Counts the newest letters by handler, those with the most first. */
export async function countLettersByHandler(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  limit: number,
): Promise<{ name: string; count: number }[]> {
  const rows = await on.read<{ name: string; n: number }>(
    `SELECT name, COUNT(*) AS n FROM (SELECT name FROM handlers_dead_letters WHERE project_id = ?
     ORDER BY letter_id DESC LIMIT ${MAX_COUNTED}) newest GROUP BY name ORDER BY n DESC, name LIMIT ${Math.trunc(limit)}`,
    [project_id],
  );
  return rows.map(({ name, n }) => ({ name, count: Number(n) }));
}
