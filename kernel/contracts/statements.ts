import type { Param, Transaction } from './database.ts';

/**
 * Sizes of lists in statements. A database caches every distinct prepared text, so lists of arbitrary lengths would
 * fill its cache.
 */
const SIZES = [128, 96, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1] as const;
/** Maximum values of one list, and rows of one statement. */
export const MAX_AT_ONCE = SIZES[0];
/** Keeps a statement well below the packet limits of all databases (16 MiB and more). */
const STATEMENT_BYTES = 4 * 1024 * 1024;

const repeated = (text: string, count: number): string => Array.from({ length: count }, () => text).join(',');

/** `(?,?,…)` of each size. */
const LISTS = new Map(SIZES.map((size) => [size, `(${repeated('?', size)})`]));

/**
 * A state next to a list of keys, written so that no index on states is used: an optimizer that walks all claimed or
 * pending rows to find a few by id would lock rows of others and wait for them.
 */
export const inState = (state: string): string => `COALESCE(state, '') = '${state}'`;

/** Splits a list into chunks of at most 128. */
export function chunks<T>(list: readonly T[]): T[][] {
  const cut: T[][] = [];
  for (let from = 0; from < list.length; from += SIZES[0]) cut.push(list.slice(from, from + SIZES[0]));
  return cut;
}

/** `(?,?,…)` and its parameters for at most 128 values, padded with the last value to a known size. */
export function inList(values: readonly string[]): { marks: string; params: string[] } {
  const size = SIZES.findLast((known) => known >= values.length);
  if (size === undefined || values.length === 0) throw new RangeError(`a list of ${values.length} values`);
  const params = [...values, ...Array.from({ length: size - values.length }, () => values.at(-1)!)];
  return { marks: LISTS.get(size)!, params };
}

/** Sizes of lists of multi-column keys. Their statements are long, so fewer are cached. */
const KEY_SIZES = [1, 4, 16, 64, MAX_AT_ONCE] as const;

/** A condition that names at most 128 rows by the columns of their key; the last is repeated up to a known size. */
export function inKeys<C extends string>(
  columns: readonly C[],
  rows: readonly { readonly [column in C]: string | number }[],
): { condition: string; params: (string | number)[] } {
  const size = KEY_SIZES.find((known) => known >= rows.length);
  if (size === undefined || rows.length === 0) throw new RangeError(`a list of ${rows.length} keys`);
  const one = `(${columns.map((column) => `${column} = ?`).join(' AND ')})`;
  const params: (string | number)[] = [];
  for (let at = 0; at < size; at++) {
    const row = rows[Math.min(at, rows.length - 1)]!;
    for (const column of columns) params.push(row[column]);
  }
  return { condition: `(${Array.from({ length: size }, () => one).join(' OR ')})`, params };
}

const bytesOf = (row: readonly Param[]): number =>
  row.reduce<number>((sum, param) => sum + (param === null || typeof param === 'number' ? 8 : param.length), 0);

/** Next page of a list that is ordered by these columns, which together are unique: what comes after the last row read. */
export function beyond<C extends string>(
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

/** How many of the first rows fit in one statement: a known size within the byte limit, at least one. */
function statementSize(rows: readonly (readonly Param[])[], from: number): number {
  let fitting = 0;
  for (let bytes = 0; from + fitting < rows.length && fitting < SIZES[0]; fitting++) {
    bytes += bytesOf(rows[from + fitting]!);
    if (bytes > STATEMENT_BYTES && fitting > 0) break;
  }
  return SIZES.find((size) => size <= fitting) ?? 1;
}

/** INSERT texts by their columns and other parts; there are as many as the code has. */
const inserts = new WeakMap<readonly string[], Map<string, string>>();

/**
 * Building the placeholders of many rows takes as long as inserting them, and a cached text is found faster among the
 * prepared ones. The column list is normally a constant; a list made for one call works too.
 */
function insertText(into: string, columns: readonly string[], count: number, ending: string): string {
  const texts = inserts.get(columns) ?? new Map<string, string>();
  const name = `${count} ${into} ${ending}`;
  const known = texts.get(name);
  if (known !== undefined) return known;
  const row = `(${repeated('?', columns.length)})`;
  const text = `${into} (${columns.join(', ')}) VALUES ${repeated(row, count)} ${ending}`;
  inserts.set(columns, texts.set(name, text));
  return text;
}

/** Multi-row INSERT with as few statements as the sizes allow. Answers the number of inserted rows. */
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

/** The distinct values of one member in byte order: the order in which rows are locked. */
export function distinct<T>(list: readonly T[], member: (item: T) => string): string[] {
  return [...new Set(list.map(member))].sort((a, b) => (a < b ? -1 : 1));
}
