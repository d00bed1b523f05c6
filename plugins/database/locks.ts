import { chunks, inKeys, inList, type LockedRows, type Param, type Queries } from '../../kernel/contracts/index.ts';

type Key = Record<string, string | number>;

/** The statement that reads and locks; `ending` is what the database calls it. */
export function lockingRead({ table, key, columns, where, order, limit }: LockedRows, ending: string): string {
  const cut = limit === undefined ? '' : ` LIMIT ${Math.trunc(limit)}`;
  return `SELECT ${columns} FROM ${table} WHERE ${where} ORDER BY ${order ?? key.join(', ')}${cut} ${ending}`;
}

/** The columns of the key that the caller does not read itself. */
function withKey({ columns, key }: LockedRows): string {
  const read = new Set(columns.split(',').map((column) => column.trim()));
  return [columns, ...key.filter((column) => !read.has(column))].join(', ');
}

/**
 * The rows that a transaction has locked. Who locks, writes: a database that certifies transactions by what they wrote
 * (Galera) lets two of them commit that decided by the same row, unless both wrote it. Each locked row that the
 * transaction has not changed itself gets a new `lock_version` before the commit, by one statement for a table.
 */
export class Locks {
  readonly #unwritten = new Map<string, { key: readonly string[]; rows: Map<string, Key> }>();

  /** `words` is how the server calls a locking read. */
  async lock<R>(on: Pick<Queries, 'read'>, rows: LockedRows, words: string): Promise<R[]> {
    const { table, key } = rows;
    const statement = lockingRead({ ...rows, columns: withKey(rows) }, words);
    const found = await on.read<R & Key>(statement, rows.params);
    const held = this.#unwritten.get(table) ?? { key, rows: new Map<string, Key>() };
    this.#unwritten.set(table, held);
    for (const row of found) held.rows.set(textOf(key.map((column) => row[column]!)), row);
    return found;
  }

  settled(table: string, keys: readonly (readonly Param[])[]): void {
    const held = this.#unwritten.get(table);
    for (const key of keys) held?.rows.delete(textOf(key));
  }

  async write(on: Pick<Queries, 'write'>): Promise<void> {
    for (const [table, { key, rows }] of this.#unwritten) {
      for (const some of chunks([...rows.values()])) {
        const { condition, params } = whereKeys(key, some);
        await on.write(`UPDATE ${table} SET lock_version = lock_version + 1 WHERE ${condition}`, params);
      }
    }
    this.#unwritten.clear();
  }
}

const textOf = (key: readonly Param[]): string => JSON.stringify(key);

/** A list is shorter than a chain of OR. */
function whereKeys(key: readonly string[], rows: readonly Key[]): { condition: string; params: Param[] } {
  const [first] = key;
  if (key.length > 1) return inKeys(key, rows);
  const { marks, params } = inList(rows.map((row) => row[first!] as string));
  return { condition: `${first} IN ${marks}`, params };
}
