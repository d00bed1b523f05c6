import { inList, type Param, type Transaction } from '../../../kernel/contracts/index.ts';

interface Update {
  table: string;
  key: string;
  /** Each row gets values of its own for these columns. */
  columns: readonly string[];
  /** What all rows get, with its own parameters; at least one column. */
  set: string;
  /** Which state the rows must have; without parameters. */
  guard: string;
}

/** A row's key, and its values in the order of the columns. */
export type RowValues = readonly [key: string, ...values: Param[]];

export type UpdateRows = (
  tx: Pick<Transaction, 'write'>,
  set: readonly Param[],
  rows: readonly RowValues[],
) => Promise<number>;

/**
 * An UPDATE of up to 128 rows in one statement. Answers how many rows were as `guard` says. A column keeps its value where
 * no key matches: servers take the type of the parameters from that.
 */
export function updateRows({ table, key, columns, set, guard }: Update): UpdateRows {
  const texts = new Map<number, string>();
  const textOf = (marks: string, size: number): string => {
    const known = texts.get(size);
    if (known !== undefined) return known;
    const cases = Array.from({ length: size }, () => 'WHEN ? THEN ?').join(' ');
    const own = columns.map((column) => `${column} = CASE ${key} ${cases} ELSE ${column} END`);
    const text = `UPDATE ${table} SET ${[...own, set].join(', ')} WHERE ${key} IN ${marks} AND ${guard}`;
    texts.set(size, text);
    return text;
  };
  return async (tx, shared, rows) => {
    if (rows.length === 0) return 0;
    const values = new Map(rows.map(([of, ...own]) => [of, own]));
    const { marks, params } = inList(rows.map(([of]) => of));
    const own = columns.flatMap((_, at) => params.flatMap((of) => [of, values.get(of)![at]!]));
    return tx.write(textOf(marks, params.length), [...own, ...shared, ...params]);
  };
}
