import type { Output } from './output.ts';

/**
 * The columns of an output by heading: the name of a member, or a function that makes the text. Lists are joined by commas.
 * A cell stays empty for undefined, null and the empty string.
 */
export type Columns<T> = Readonly<Record<string, (keyof T & string) | ((item: T, output: Output) => unknown)>>;

const textOf = (value: unknown): string =>
  value === undefined || value === null ? '' : Array.isArray(value) ? value.join(', ') : String(value);

/** The names of members that are times: `created_at`, `next_due`, `since`. */
const TIME_MEMBER = /_at$|_due$|^(?:at|due|since|status_since|last_seen|deadline)$/;

/** Returns the text of each column, in order. Times are formatted as the output formats them. */
export const formatCells = <T>(columns: Columns<T>, item: T, output: Output): string[] =>
  Object.values(columns).map((column) => {
    if (typeof column === 'function') return textOf(column(item, output));
    const value: unknown = item[column];
    return TIME_MEMBER.test(column) && typeof value === 'string' ? output.time(value) : textOf(value);
  });

/** Aligns labels and values, one pair on each line. Labels without a value are left out. */
export function formatLabels(rows: readonly (readonly [label: string, value: unknown])[]): string {
  const width = Math.max(...rows.map(([label]) => label.length)) + 2;
  return rows
    .map(([label, value]) => [label, textOf(value)] as const)
    .filter(([, value]) => value !== '')
    .map(([label, value]) => `${label.padEnd(width)}${value}`)
    .join('\n');
}

/** Formats one item for people: a line for each column. */
export const formatItem = <T>(columns: Columns<T>, item: T, output: Output): string => {
  const values = formatCells(columns, item, output);
  return formatLabels(Object.keys(columns).map((label, at) => [label, values[at]]));
};
