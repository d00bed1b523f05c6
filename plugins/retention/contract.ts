import { extensionPoint, type Param, type Queries } from '../../kernel/contracts/index.ts';

/** A kind of record that grows without limit unless it is pruned. */
export interface Prunable {
  /** Its word in SVC_RETENTION: `runs`, `logs`, `events`, `audit`. */
  name: string;
  /** What is removed and what is kept, in one line. */
  summary: string;
  /**
   * Removes records older than `before` (epoch ms by the database's clock) that nothing needs any more: oldest first,
   * at most `limit` rows in a transaction. Yields the number of removed rows after each transaction, and 0 from time to
   * time while it looks through much that stays. The caller may stop at any yield, and any server may begin again
   * later: partly removed records are not visible and are found again.
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

/**
 * Statements for SQLite that build a table anew with its rows in the order of its key, which then needs no index of its
 * own: one page written for a row, and not two. For rows below a kilobyte. Indexes that the table had are gone, and the
 * rows have no rowid any more: `removeSome` is told the key.
 */
export const clustered = (table: string, is: { columns: string; key: string; from: string }): string[] => [
  `CREATE TABLE ${table}_new (${is.columns}, PRIMARY KEY (${is.key})) WITHOUT ROWID`,
  `INSERT INTO ${table}_new SELECT ${is.from} FROM ${table}`,
  `DROP TABLE ${table}`,
  `ALTER TABLE ${table}_new RENAME TO ${table}`,
];

/** A table that SQLite keeps in the order of its key, with the columns of that key. */
export interface KeyedTable {
  table: string;
  key: string;
}

/** Deletes at most `limit` rows that meet a condition. Answers how many. */
export function removeSome(
  on: Queries,
  from: string | KeyedTable,
  condition: string,
  params: readonly Param[],
  limit: number,
): Promise<number> {
  const most = Math.trunc(limit);
  const { table, key } = typeof from === 'string' ? { table: from, key: 'rowid' } : from;
  // SQLite has no DELETE … LIMIT; MySQL has no LIMIT in a subquery of IN.
  const statement =
    on.sql.family === 'sqlite'
      ? `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${most})`
      : `DELETE FROM ${table} WHERE ${condition} LIMIT ${most}`;
  return on.write(statement, params);
}
