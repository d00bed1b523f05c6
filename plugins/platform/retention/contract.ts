import { extensionPoint, type Param, type Queries } from '../../../kernel/contracts/index.ts';

/** A kind of record that grows without limit unless it is pruned. */
export interface Prunable {
  /** Its name in SVC_RETENTION: `runs`, `logs`, `events`, `audit`. */
  name: string;
  /** One line that says what is removed and what stays. */
  summary: string;
  /**
   * Removes records older than `before` (epoch ms by the database's clock) that nothing needs any more, oldest first and at most
   * `limit` rows in a transaction. Yields the number of removed rows after each transaction, and 0 from time to time while it
   * finds nothing to remove. The caller may stop at any yield, and any server may start over later: records that are only
   * partly removed must be invisible and must be found again.
   */
  prune(before: number, limit: number): AsyncIterable<number>;
}

export const Prunables = extensionPoint<Prunable>('retention.Prunables', {
  key: ({ name }) => name,
  check: ({ name }) =>
    /^[a-z][a-z-]*$/.test(name) ? undefined : `the name "${name}" must consist of lowercase letters and -`,
});

const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Returns the lowest id that `Ids.next` can make at a time. Every earlier id is smaller. */
export function lowestId(prefix: string, at: number): string {
  let text = '';
  for (let rest = Math.max(0, Math.trunc(at)); text.length < TIME_CHARACTERS; rest = Math.floor(rest / 32))
    text = CROCKFORD[rest % 32] + text;
  return `${prefix}_${text}${'0'.repeat(RANDOM_CHARACTERS)}`;
}

/** Returns the time at which `Ids.next` made an id, by the clock of that server. */
export function timeOfId(id: string): number {
  const start = id.indexOf('_') + 1;
  return [...id.slice(start, start + TIME_CHARACTERS)].reduce((time, digit) => time * 32 + CROCKFORD.indexOf(digit), 0);
}

/**
 * Statements for SQLite that rebuild a table WITHOUT ROWID, so that its rows are stored in the order of the key and need no
 * separate index: one page is written for a row instead of two. Use it for rows below a kilobyte. The table loses its indexes,
 * and `deleteBatch` needs its key, because there is no rowid any more.
 */
export const rebuildClustered = (table: string, is: { columns: string; key: string; from: string }): string[] => [
  `CREATE TABLE ${table}_new (${is.columns}, PRIMARY KEY (${is.key})) WITHOUT ROWID`,
  `INSERT INTO ${table}_new SELECT ${is.from} FROM ${table}`,
  `DROP TABLE ${table}`,
  `ALTER TABLE ${table}_new RENAME TO ${table}`,
];

/** A table WITHOUT ROWID, and the columns of its key. */
export interface KeyedTable {
  table: string;
  key: string;
}

/** Deletes at most `limit` rows that meet a condition, and returns their number. */
export function deleteBatch(
  on: Queries,
  from: string | KeyedTable,
  condition: string,
  params: readonly Param[],
  limit: number,
): Promise<number> {
  const batch_limit = Math.trunc(limit);
  const { table, key } = typeof from === 'string' ? { table: from, key: 'rowid' } : from;
  // SQLite has no DELETE … LIMIT; MySQL has no LIMIT in a subquery of IN.
  const statement =
    on.sql.family === 'sqlite'
      ? `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${batch_limit})`
      : `DELETE FROM ${table} WHERE ${condition} LIMIT ${batch_limit}`;
  return on.write(statement, params);
}
