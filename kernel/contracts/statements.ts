import type { Param, Transaction } from './database.ts';

/**
 * Sizes that lists in statements come in. A database keeps every distinct text that was prepared, so lists of
 * every length would crowd its cache out.
 */
const SIZES = [128, 96, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1] as const;
/** Most values of one list, most rows of one statement. */
export const MOST_AT_ONCE = SIZES[0];
/** Keeps a statement well under the packet bounds of all databases (16 MiB and more). */
const STATEMENT_BYTES = 4 * 1024 * 1024;

const repeated = (text: string, count: number): string => Array.from({ length: count }, () => text).join(',');

/** `(?,?,…)` of each size. */
const LISTS = new Map(SIZES.map((size) => [size, `(${repeated('?', size)})`]));

/**
 * A state beside a list of keys, written so that no index on states is taken for it: an optimizer that walks all
 * claimed or pending rows to find a few by their ids would lock, and wait for, rows of others.
 */
export const inState = (state: string): string => `COALESCE(state, '') = '${state}'`;

/** Splits a list into parts of at most 128. */
export function parts<T>(list: readonly T[]): T[][] {
  const cut: T[][] = [];
  for (let from = 0; from < list.length; from += SIZES[0]) cut.push(list.slice(from, from + SIZES[0]));
  return cut;
}

/** `(?,?,…)` and its parameters for at most 128 values; padded with the last value to a known size. */
export function inList(values: readonly string[]): { marks: string; params: string[] } {
  const size = SIZES.findLast((known) => known >= values.length);
  if (size === undefined || values.length === 0) throw new RangeError(`a list of ${values.length} values`);
  const params = [...values, ...Array.from({ length: size - values.length }, () => values.at(-1)!)];
  return { marks: LISTS.get(size)!, params };
}

/** Sizes of lists of keys with several columns, whose statements are long: fewer of them are kept. */
const KEY_SIZES = [1, 4, 16, 64, MOST_AT_ONCE] as const;

/** A condition that names at most 128 rows by the columns of their key; repeats the last up to a known size. */
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

/** How many of the first rows make one statement: a known size within the bound of bytes, at least one. */
function statementSize(rows: readonly (readonly Param[])[], from: number): number {
  let fitting = 0;
  for (let bytes = 0; from + fitting < rows.length && fitting < SIZES[0]; fitting++) {
    bytes += bytesOf(rows[from + fitting]!);
    if (bytes > STATEMENT_BYTES && fitting > 0) break;
  }
  return SIZES.find((size) => size <= fitting) ?? 1;
}

/** Texts of INSERTs by their columns, and by what else they are made from: as many as the code has. */
const inserts = new WeakMap<readonly string[], Map<string, string>>();

/**
 * Writing the marks of many rows anew takes as long as inserting them, and a text that was looked up before is found
 * sooner among the prepared ones. The columns are a list that is kept; one made for the call only is taken as well.
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

/** Multi-row INSERT with as few statements as the sizes allow. Answers the number of rows inserted. */
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

/** The values of one member, each once, in byte order: the order in which rows are locked. */
export function distinct<T>(list: readonly T[], member: (item: T) => string): string[] {
  return [...new Set(list.map(member))].sort((a, b) => (a < b ? -1 : 1));
}
