import type { Output } from './output.ts';

/**
 * Columns of an output by heading: the name of a member, or a function that makes the text. Lists are joined by commas;
 * undefined, null and the empty text leave a cell empty.
 */
export type Columns<T> = Readonly<Record<string, (keyof T & string) | ((one: T, output: Output) => unknown)>>;

const textOf = (value: unknown): string =>
  value === undefined || value === null ? '' : Array.isArray(value) ? value.join(', ') : String(value);

/** The text of each column, in order. */
export const cellsOf = <T>(columns: Columns<T>, one: T, output: Output): string[] =>
  Object.values(columns).map((column) => textOf(typeof column === 'function' ? column(one, output) : one[column]));

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
