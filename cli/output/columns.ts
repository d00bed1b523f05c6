import type { Output } from './output.ts';

/**
 * Columns of an output by heading: the name of a member, or a function that makes the text. Lists are joined by commas;
 * undefined, null and the empty text leave a cell empty.
 */
export type Columns<T> = Readonly<Record<string, (keyof T & string) | ((one: T, output: Output) => unknown)>>;

const textOf = (value: unknown): string =>
  value === undefined || value === null ? '' : Array.isArray(value) ? value.join(', ') : String(value);

/** Members that are times by their names: `created_at`, `next_due`, `since`. */
const A_TIME = /_at$|_due$|^(?:at|due|since|status_since|last_seen|deadline)$/;

/** The text of each column, in order. Times are shown as the output shows times. */
export const cellsOf = <T>(columns: Columns<T>, one: T, output: Output): string[] =>
  Object.values(columns).map((column) => {
    if (typeof column === 'function') return textOf(column(one, output));
    const value: unknown = one[column];
    return A_TIME.test(column) && typeof value === 'string' ? output.time(value) : textOf(value);
  });

/** Aligned lines of labels and values; labels without a value are left out. */
export function labelled(rows: readonly (readonly [label: string, value: unknown])[]): string {
  const width = Math.max(...rows.map(([label]) => label.length)) + 2;
  return rows
    .map(([label, value]) => [label, textOf(value)] as const)
    .filter(([, value]) => value !== '')
    .map(([label, value]) => `${label.padEnd(width)}${value}`)
    .join('\n');
}

/** One item for people: a line for each column. */
export const described = <T>(columns: Columns<T>, one: T, output: Output): string => {
  const cells = cellsOf(columns, one, output);
  return labelled(Object.keys(columns).map((label, at) => [label, cells[at]]));
};
