import { extensionPoint, type Param, type Queries } from '../../kernel/contracts/index.ts';

/** A kind of record that grows without limit unless it is pruned. */
export interface Prunable {
  /** Its word in SVC_RETENTION: `runs`, `logs`, `events`, `audit`. */
  name: string;
  /** What is removed and what is kept, in one line. */
  summary: string;
  /**
   * Removes records older than `before` (epoch ms by the database's clock) that nothing needs any more: oldest first,
   * at most `limit` rows in a transaction. Yields the number of removed rows after each transaction. The caller may
   * stop at any yield, and any server may begin again later: partly removed records are not visible and are found
   * again.
   */
  prune(before: number, limit: number): AsyncIterable<number>;
}

export const Prunables = extensionPoint<Prunable>('retention.Prunables', {
  key: ({ name }) => name,
  check: ({ name }) => (/^[a-z][a-z-]*$/.test(name) ? undefined : `the name "${name}" must be of small letters and -`),
});

const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The lowest id that `Ids.next` can give at a time: every earlier id is smaller. */
export function lowestId(prefix: string, at: number): string {
  let text = '';
  for (let rest = Math.max(0, Math.trunc(at)); text.length < TIME_CHARACTERS; rest = Math.floor(rest / 32))
    text = CROCKFORD[rest % 32] + text;
  return `${prefix}_${text}${'0'.repeat(RANDOM_CHARACTERS)}`;
}

/** Deletes at most `limit` rows that meet a condition. Answers how many. */
export function removeSome(
  on: Queries,
  table: string,
  condition: string,
  params: readonly Param[],
  limit: number,
): Promise<number> {
  const most = Math.trunc(limit);
  // SQLite has no DELETE … LIMIT; MySQL has no LIMIT in a subquery of IN.
  const statement =
    on.sql.family === 'sqlite'
      ? `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${condition} LIMIT ${most})`
      : `DELETE FROM ${table} WHERE ${condition} LIMIT ${most}`;
  return on.write(statement, params);
}
