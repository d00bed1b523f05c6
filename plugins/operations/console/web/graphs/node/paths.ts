/** The way to a member: `['nodes', 'order', 'output', 'items', 0]`. */
export type Path = readonly (string | number)[];

const PLAIN = /^[A-Za-z_]\w*$/;
/** CEL reads them as something else where they follow a point. */
const RESERVED = new Set(['in', 'true', 'false', 'null']);

/** The expression for a member: `nodes.order.output.items[0]`, `nodes["a-b"]`. */
export const celOf = ([root, ...rest]: Path): string =>
  rest.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return PLAIN.test(part) && !RESERVED.has(part) ? `${text}.${part}` : `${text}[${JSON.stringify(part)}]`;
  }, String(root));

/** The expression without its beginning: `.items[0]`, for a label below `nodes.order.output`. */
export const restOf = (path: Path, from: number): string => celOf(['', ...path.slice(from)]).replace(/^\./, '');

export type Kind = 'object' | 'list' | 'text' | 'number' | 'boolean' | 'null';

export function kindOf(value: unknown): Kind {
  if (value === null || value === undefined) return 'null';
  if (isNumber(value)) return 'number';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'object';
  return typeof value === 'string' ? 'text' : 'boolean';
}

/** A number that a double cannot hold is an object that writes itself; data has no functions of its own. */
const isNumber = (value: unknown): boolean =>
  typeof value === 'number' ||
  typeof value === 'bigint' ||
  (typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function');

const isRecord = (value: unknown): value is Record<string, unknown> => kindOf(value) === 'object';

const plural = (n: number, one: string): string => `${n} ${n === 1 ? one : `${one}s`}`;

/** A value in a few characters: `5 members`, `"MUG-01"`. */
export function brief(value: unknown, most = 60): string {
  if (Array.isArray(value)) return plural(value.length, 'item');
  if (isRecord(value)) return plural(Object.keys(value).length, 'member');
  const text = JSON.stringify(value) ?? 'null';
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** What a value holds, each with its name; nothing in a text or a number. */
export function membersOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((one, at) => [at, one] as const);
  return isRecord(value) ? Object.entries(value) : [];
}

/** A list of objects, as a table has it. */
export interface Grid {
  path: Path;
  columns: readonly string[];
  rows: readonly Readonly<Record<string, unknown>>[];
  total: number;
}

export interface Tables {
  /** Members that are neither objects nor lists of objects, however deep they stand. */
  leaves: readonly (readonly [Path, unknown])[];
  grids: readonly Grid[];
  /** There is more than is shown. */
  more: boolean;
}

const MOST = { leaves: 100, grids: 5, rows: 50, columns: 8 } as const;

/** A value as tables: its single values by name, and every list of objects. */
export function tablesOf(value: unknown, path: Path): Tables {
  const leaves: [Path, unknown][] = [];
  const grids: Grid[] = [];
  let more = false;
  const visit = (one: unknown, at: Path): void => {
    if (leaves.length >= MOST.leaves || grids.length >= MOST.grids) {
      more = true;
      return;
    }
    if (Array.isArray(one) && one.length > 0 && one.every(isRecord)) grids.push(gridOf(one, at));
    else if (isRecord(one) && Object.keys(one).length > 0)
      for (const [name, member] of Object.entries(one)) visit(member, [...at, name]);
    else leaves.push([at, one]);
  };
  visit(value, path);
  return { leaves, grids, more: more || grids.some(({ rows, total }) => rows.length < total) };
}

function gridOf(list: readonly Record<string, unknown>[], path: Path): Grid {
  const rows = list.slice(0, MOST.rows);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, MOST.columns);
  return { path, columns, rows, total: list.length };
}
