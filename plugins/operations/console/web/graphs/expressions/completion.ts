import type { ExpressionNames } from './names.ts';

export interface Option {
  /** What is shown. */
  label: string;
  /** What takes the place of what stands from `from` to `to`. */
  insert: string;
  detail: string;
  from: number;
  to: number;
  /** Where the caret is then, from the begin of what was inserted; absent: after it. */
  caret?: number;
}

interface Word {
  name: string;
  detail: string;
}

const FUNCTIONS: readonly Word[] = [
  ...['size', 'string', 'int', 'double', 'bool', 'bytes', 'uint', 'timestamp', 'duration', 'type', 'dyn'].map(fn),
  { name: 'has()', detail: 'whether the field exists' },
];
const METHODS: readonly Word[] = [
  ...['contains', 'startsWith', 'endsWith', 'matches', 'size'].map(fn),
  ...['exists', 'all', 'filter', 'map', 'exists_one'].map((name) => ({ name: `${name}()`, detail: 'of a list' })),
  ...['getFullYear', 'getMonth', 'getDate', 'getDayOfWeek', 'getHours', 'getMinutes', 'getSeconds'].map((name) => ({
    name: `${name}()`,
    detail: 'of a time',
  })),
];
const OF_A_NODE: readonly Word[] = [
  { name: 'output', detail: '' },
  { name: 'status', detail: 'succeeded, failed, skipped…' },
  { name: 'error', detail: 'code and message, or null' },
  { name: 'case', detail: 'of a condition or a switch' },
];
const OF_A_RUN: readonly Word[] = ['id', 'subject', 'trigger', 'fired'].map((name) => ({ name, detail: '' }));
const OF_AN_EVENT: readonly Word[] = ['type', 'payload', 'subject', 'source'].map((name) => ({ name, detail: '' }));
const OF_AN_ERROR: readonly Word[] = ['code', 'message'].map((name) => ({ name, detail: '' }));

const MAX_OPTIONS = 50;
const PATH = /[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\["(?:[^"\\]|\\.)*"\]|\[\d+\])*\.?\w*$/;
const IDENTIFIER = /^[A-Za-z_]\w*$/;
/** They cannot follow a dot. */
const RESERVED = new Set(['in', 'true', 'false', 'null']);

function fn(name: string): Word {
  return { name: `${name}()`, detail: 'function' };
}

/** What may stand at the caret, given what stands before it. */
export function completionsAt(text: string, caret: number, names: ExpressionNames): Option[] {
  const before = text.slice(0, caret);
  if (insideText(before)) return [];
  const found = PATH.exec(before)?.[0] ?? '';
  const dot = found.search(/\.\w*$/);
  if (found.endsWith(']') || (found === '' && /[\w"')\]]$/.test(before))) return [];
  const typed = dot < 0 ? found : found.slice(dot + 1);
  const from = caret - typed.length;
  const words = dot < 0 ? roots(names) : membersOf(pathOf(found.slice(0, dot)), names);
  return words
    .filter(({ name }) => name !== typed && name.toLowerCase().startsWith(typed.toLowerCase()))
    .slice(0, MAX_OPTIONS)
    .map((word) => optionOf(word, from, caret, dot >= 0));
}

function optionOf({ name, detail }: Word, from: number, to: number, member: boolean): Option {
  const call = name.endsWith('()');
  if (call) return { label: name, insert: name, detail, from, to, caret: name.length - 1 };
  const plain = IDENTIFIER.test(name) && !(member && RESERVED.has(name));
  // nodes["a-b"] in place of nodes.a-b, which is a subtraction.
  if (plain || !member) return { label: name, insert: name, detail, from, to };
  return { label: name, insert: `[${JSON.stringify(name)}]`, detail, from: from - 1, to };
}

/** Within quotes that are not closed. */
function insideText(before: string): boolean {
  let quote = '';
  for (let at = 0; at < before.length; at++) {
    const letter = before[at]!;
    if (quote !== '' && letter === '\\') at++;
    else if (quote === '' && (letter === '"' || letter === "'")) quote = letter;
    else if (letter === quote) quote = '';
  }
  // nodes["a is the begin of a path only when it is closed.
  return quote !== '';
}

function roots({ items = false, event = false }: ExpressionNames): Word[] {
  const own = event ? ['event'] : ['input', 'nodes', ...(items ? ['item', 'index'] : []), 'run'];
  return [...own.map((name) => ({ name, detail: DETAILS[name]! })), ...FUNCTIONS];
}

const DETAILS: Record<string, string> = {
  event: 'the envelope of the event',
  input: 'the input of the run',
  nodes: 'the nodes before this one',
  item: 'of the fan_out',
  index: 'number of the item',
  run: 'id, subject, trigger, fired',
};

type Path = readonly (string | number)[];

function pathOf(text: string): Path {
  return [...text.matchAll(/([A-Za-z_]\w*)|\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]/g)].map(([, name, key, index]) =>
    index === undefined ? (name ?? key!) : Number(index),
  );
}

function membersOf(path: Path, names: ExpressionNames): Word[] {
  const [root, ...rest] = path;
  const value = valueAt(names.sample, path);
  if (root === 'nodes' && rest.length === 0)
    return names.nodes.map((name) => ({ name, detail: statusOf(valueAt(names.sample, ['nodes', name])) }));
  if (root === 'nodes' && rest.length === 1) return OF_A_NODE.map((word) => told(word, value));
  if (root === 'nodes' && rest.length === 2 && rest[1] === 'error') return [...OF_AN_ERROR];
  if (root === 'run' && rest.length === 0) return OF_A_RUN.map((word) => told(word, value));
  const known = root === 'event' && rest.length === 0 ? OF_AN_EVENT : [];
  return [...merged(known, keysOf(value)), ...METHODS];
}

const merged = (known: readonly Word[], found: readonly Word[]): Word[] => [
  ...found,
  ...known.filter(({ name }) => !found.some((one) => one.name === name)),
];

const statusOf = (node: unknown): string => (isObject(node) ? String(node.status) : '');

const told = ({ name, detail }: Word, value: unknown): Word => ({
  name,
  detail: isObject(value) && value[name] !== undefined && value[name] !== null ? brief(value[name]) : detail,
});

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function valueAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string | number, unknown>)[step];
  }
  return at;
}

const keysOf = (value: unknown): Word[] =>
  isObject(value) ? Object.entries(value).map(([name, one]) => ({ name, detail: brief(one) })) : [];

/** A value in a few characters. */
function brief(value: unknown): string {
  if (Array.isArray(value)) return `list of ${value.length}`;
  if (isObject(value)) return `object of ${Object.keys(value).length}`;
  const text = JSON.stringify(value) ?? '';
  return text.length > 32 ? `${text.slice(0, 32)}…` : text;
}
