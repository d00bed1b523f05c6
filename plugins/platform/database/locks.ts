import { chunks, inKeys, inList, type LockedRows, type Param, type Queries } from '../../../kernel/contracts/index.ts';

type Key = Record<string, string | number>;

/** Builds the statement that reads rows and locks them. `ending` is the locking clause of the database. */
export function lockingRead({ table, key, columns, where, order, limit }: LockedRows, ending: string): string {
  const limit_clause = limit === undefined ? '' : ` LIMIT ${Math.trunc(limit)}`;
  return `SELECT ${columns} FROM ${table} WHERE ${where} ORDER BY ${order ?? key.join(', ')}${limit_clause} ${ending}`;
}

/** Adds the key columns that the caller does not read itself. */
function withKey({ columns, key }: LockedRows): string {
  const read = new Set(columns.split(',').map((column) => column.trim()));
  return [columns, ...key.filter((column) => !read.has(column))].join(', ');
}

/**
 * Tracks the rows that a transaction has locked. A database that certifies transactions by what they wrote (Galera) lets two
 * of them commit although both decided from the same row, unless both wrote it. So each locked row that the transaction has
 * not changed gets a new `lock_version` before the commit, with one statement for each table.
 */
export class Locks {
  readonly #unwritten = new Map<string, { key: readonly string[]; rows: Map<string, Key> }>();

  /** `locking_clause` is the locking clause of this server. */
  async lock<R>(on: Pick<Queries, 'read'>, rows: LockedRows, locking_clause: string): Promise<R[]> {
    const { table, key } = rows;
    const statement = lockingRead({ ...rows, columns: withKey(rows) }, locking_clause);
    const locked = await on.read<R & Key>(statement, rows.params);
    const table_locks = this.#unwritten.get(table) ?? { key, rows: new Map<string, Key>() };
    this.#unwritten.set(table, table_locks);
    for (const row of locked) table_locks.rows.set(textOf(key.map((column) => row[column]!)), row);
    return locked;
  }

  skipConflictGuard(table: string, keys: readonly (readonly Param[])[]): void {
    const table_locks = this.#unwritten.get(table);
    for (const key of keys) table_locks?.rows.delete(textOf(key));
  }

  async write(on: Pick<Queries, 'write'>): Promise<void> {
    for (const [table, { key, rows }] of this.#unwritten) {
      for (const batch of chunks([...rows.values()])) {
        const { condition, params } = whereKeys(key, batch);
        await on.write(`UPDATE ${table} SET lock_version = lock_version + 1 WHERE ${condition}`, params);
      }
    }
    this.#unwritten.clear();
  }
}

const textOf = (key: readonly Param[]): string => JSON.stringify(key);

/** Uses a list when the key has one column, because that is shorter than a chain of OR. */
function whereKeys(key: readonly string[], rows: readonly Key[]): { condition: string; params: Param[] } {
  const [first] = key;
  if (key.length > 1) return inKeys(key, rows);
  const { placeholders, params } = inList(rows.map((row) => row[first!] as string));
  return { condition: `${first} IN ${placeholders}`, params };
}
