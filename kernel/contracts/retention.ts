import type { Param, Queries } from './database.ts';
import { extensionPoint } from './tokens.ts';

/** Something that grows for ever unless it is pruned. */
export interface Prunable {
  /** Its word in SVC_RETENTION: `runs`, `logs`, `events`, `audit`. */
  name: string;
  /** What is removed and what is kept, in one line. */
  summary: string;
  /**
   * Removes what is older than `before` (epoch ms by the database's clock) and that nothing needs any more, oldest first, at
   * most `limit` rows a transaction; yields after each how many it removed. May be left at any yield and begun anew
   * later, by any server: what is half removed then is not seen by anybody, and found again.
   */
  prune(before: number, limit: number): AsyncIterable<number>;
}

export const Prunables = extensionPoint<Prunable>('kernel.Prunables', {
  key: ({ name }) => name,
  check: ({ name }) => (/^[a-z][a-z-]*$/.test(name) ? undefined : `the name "${name}" must be of small letters and -`),
});

const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The lowest id that `Ids.next` gives at a time: whatever was made before is less. */
export function lowestId(prefix: string, at: number): string {
  let text = '';
  for (let rest = Math.max(0, Math.trunc(at)); text.length < TIME_CHARACTERS; rest = Math.floor(rest / 32))
    text = CROCKFORD[rest % 32] + text;
  return `${prefix}_${text}${'0'.repeat(RANDOM_CHARACTERS)}`;
}

/** Deletes at most `limit` of the rows that meet a condition; answers how many. */
export function removeSome(
  on: Queries,
  table: string,
  condition: string,
  params: readonly Param[],
  limit: number,
): Promise<number> {
  const most = Math.trunc(limit);
  // SQLite knows no DELETE … LIMIT, MySQL no LIMIT in a subquery of IN.
  const statement =
    on.sql.family === 'sqlite'
      ? `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${condition} LIMIT ${most})`
      : `DELETE FROM ${table} WHERE ${condition} LIMIT ${most}`;
  return on.write(statement, params);
}
