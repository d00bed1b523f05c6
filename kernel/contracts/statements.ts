import type { CachedReads, Param, Transaction } from './database.ts';

/**
 * The sizes that lists in statements are padded to. A database caches every distinct prepared statement, so lists of
 * arbitrary lengths would fill its cache.
 */
const SIZES = [128, 96, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1] as const;
/** The maximum number of values in one list, and of rows in one statement. */
export const MAX_ROWS_PER_STATEMENT = SIZES[0];
/** Keeps a statement well below the packet limits of all databases (16 MiB and more). */
const STATEMENT_BYTES = 4 * 1024 * 1024;

const repeatText = (text: string, count: number): string => Array.from({ length: count }, () => text).join(',');

/** `(?,?,…)` of each size. */
const LISTS = new Map(SIZES.map((size) => [size, `(${repeatText('?', size)})`]));

/**
 * A condition on a state that goes with a list of keys, written so that no index on states is used. An optimizer that walks
 * all claimed or pending rows to find a few by id would lock, and wait for, the rows of others.
 */
export const inState = (state: string): string => `COALESCE(state, '') = '${state}'`;

/**
 * False when a table is known to be empty, which saves a statement about its rows. True wherever that cannot be known without
 * asking the database each time.
 */
export async function mayHaveRows(on: CachedReads, table: string): Promise<boolean> {
  if (on.sql.family !== 'sqlite') return true;
  return on.cached(`rows of ${table}`, [table], async () => {
    const rows = await on.read(`SELECT 1 AS found FROM ${table} LIMIT 1`);
    return rows.length > 0;
  });
}

/** Splits a list into chunks of at most 128. */
export function chunks<T>(list: readonly T[]): T[][] {
  const result: T[][] = [];
  for (let from = 0; from < list.length; from += SIZES[0]) result.push(list.slice(from, from + SIZES[0]));
  return result;
}

/** Returns `(?,?,…)` and its parameters for at most 128 values, padded with the last value to one of the sizes. */
export function inList(values: readonly string[]): { placeholders: string; params: string[] } {
  const size = SIZES.findLast((bucket) => bucket >= values.length);
  if (size === undefined || values.length === 0) throw new RangeError(`a list of ${values.length} values`);
  const params = [...values, ...Array.from({ length: size - values.length }, () => values.at(-1)!)];
  return { placeholders: LISTS.get(size)!, params };
}

/** The sizes of lists of multi-column keys. Their statements are long, so fewer of them are cached. */
const KEY_SIZES = [1, 4, 16, 64, MAX_ROWS_PER_STATEMENT] as const;

/** Returns a condition that selects at most 128 rows by their keys. The last key is repeated up to one of the sizes. */
export function inKeys<C extends string>(
  columns: readonly C[],
  rows: readonly { readonly [column in C]: string | number }[],
): { condition: string; params: (string | number)[] } {
  const size = KEY_SIZES.find((bucket) => bucket >= rows.length);
  if (size === undefined || rows.length === 0) throw new RangeError(`a list of ${rows.length} keys`);
  const row_condition = `(${columns.map((column) => `${column} = ?`).join(' AND ')})`;
  const params: (string | number)[] = [];
  for (let at = 0; at < size; at++) {
    const row = rows[Math.min(at, rows.length - 1)]!;
    for (const column of columns) params.push(row[column]);
  }
  return { condition: `(${Array.from({ length: size }, () => row_condition).join(' OR ')})`, params };
}

const bytesOf = (row: readonly Param[]): number =>
  row.reduce<number>((sum, param) => sum + (param === null || typeof param === 'number' ? 8 : param.length), 0);

/** Returns the condition of the next page of a list that is ordered by these columns, which together must be unique. */
export function afterRow<C extends string>(
  columns: readonly C[],
  last: { readonly [column in C]: Param } | undefined,
  prefix = '',
): { condition: string; params: Param[] } {
  if (last === undefined) return { condition: '1 = 1', params: [] };
  const after = columns.map((column, i) => [
    ...columns.slice(0, i).map((same) => `${prefix}${same} = ?`),
    `${prefix}${column} > ?`,
  ]);
  return {
    condition: `(${after.map((all) => `(${all.join(' AND ')})`).join(' OR ')})`,
    params: columns.flatMap((_, i) => columns.slice(0, i + 1).map((column) => last[column])),
  };
}

/** Returns how many of the next rows go into one statement: one of the sizes, within the byte limit, and at least one. */
function statementSize(rows: readonly (readonly Param[])[], from: number): number {
  let count = 0;
  for (let bytes = 0; from + count < rows.length && count < SIZES[0]; count++) {
    bytes += bytesOf(rows[from + count]!);
    if (bytes > STATEMENT_BYTES && count > 0) break;
  }
  return SIZES.find((size) => size <= count) ?? 1;
}

/** The cached INSERT statements. There are only as many as there are different ones in the code. */
const inserts = new WeakMap<readonly string[], Map<string, string>>();

/**
 * Statements are cached, because building the placeholders of many rows takes as long as inserting them. The column list
 * should be a constant: a list that is made for one call works, but is not cached.
 */
function insertText(into: string, columns: readonly string[], count: number, ending: string): string {
  const texts = inserts.get(columns) ?? new Map<string, string>();
  const name = `${count} ${into} ${ending}`;
  const cached = texts.get(name);
  if (cached !== undefined) return cached;
  const row = `(${repeatText('?', columns.length)})`;
  const text = `${into} (${columns.join(', ')}) VALUES ${repeatText(row, count)} ${ending}`;
  inserts.set(columns, texts.set(name, text));
  return text;
}

/** Inserts rows with as few statements as the sizes allow. Returns the number of inserted rows. */
export async function insertRows(
  tx: Pick<Transaction, 'write'>,
  into: string,
  columns: readonly string[],
  rows: readonly (readonly Param[])[],
  ending = '',
): Promise<number> {
  let inserted = 0;
  for (let from = 0; from < rows.length; ) {
    const count = statementSize(rows, from);
    const params = rows.slice(from, from + count).flat();
    inserted += await tx.write(insertText(into, columns, count, ending), params);
    from += count;
  }
  return inserted;
}

/** Returns the distinct values of one member in byte order, which is the order in which rows are locked. */
export function distinct<T>(list: readonly T[], member: (item: T) => string): string[] {
  return [...new Set(list.map(member))].sort((a, b) => (a < b ? -1 : 1));
}
