/** One difference between two graphs. */
export interface Change {
  what: 'added' | 'removed' | 'changed';
  /** `node build`, `edge a → b`, or a member of the graph. */
  subject: string;
  /** Of a node that is in both: `config.script`. */
  field?: string;
  from?: unknown;
  to?: unknown;
}

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface Difference {
  field: string;
  from: unknown;
  to: unknown;
}

/** Fields of two values that differ; lists are compared as a whole. */
function fields(from: unknown, to: unknown, path: string): Difference[] {
  if (isObject(from) && isObject(to) && !isWhole(from) && !isWhole(to)) return members(from, to, `${path}.`);
  return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ field: path, from, to }];
}

const members = (from: Json, to: Json, before = ''): Difference[] =>
  [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((name) =>
    fields(from[name], to[name], `${before}${name}`),
  );

/** An expression is one value, and so is an object without members. */
const isWhole = (value: Json): boolean => Object.hasOwn(value, '$expr') || Object.keys(value).length === 0;

const listOf = (document: Json, member: string): Json[] =>
  Array.isArray(document[member]) ? (document[member] as unknown[]).filter(isObject) : [];

const edgeName = ({ from, to, when }: Json): string =>
  `${String(from)} → ${String(to)}${when === undefined ? '' : ` (${String(when)})`}`;

/** What is another in `to`: its nodes and their fields, its edges, and its other members. */
export function compareGraphs(from: Json, to: Json): Change[] {
  const [nodes, edges] = [pairs(from, to, 'nodes', ({ id }) => String(id)), pairs(from, to, 'edges', edgeName)];
  const others = (document: Json) =>
    Object.fromEntries(Object.entries(document).filter(([name]) => name !== 'nodes' && name !== 'edges'));
  return [
    ...nodes.flatMap(([id, a, b]) => nodeChanges(id, a, b)),
    ...edges.flatMap(([name, a, b]): Change[] =>
      a && b ? [] : [{ what: a ? 'removed' : 'added', subject: `edge ${name}` }],
    ),
    ...members(others(from), others(to)).map(({ field, ...values }) => changeOf(field, undefined, values)),
  ];
}

function pairs(from: Json, to: Json, member: string, nameOf: (one: Json) => string) {
  const [a, b] = [from, to].map((document) => new Map(listOf(document, member).map((one) => [nameOf(one), one])));
  return [...new Set([...a!.keys(), ...b!.keys()])].map((name) => [name, a!.get(name), b!.get(name)] as const);
}

function nodeChanges(id: string, from: Json | undefined, to: Json | undefined): Change[] {
  const subject = `node ${id}`;
  if (!from) return [{ what: 'added', subject, to: to!.type }];
  if (!to) return [{ what: 'removed', subject, from: from.type }];
  return members(from, to).map(({ field, ...values }) => changeOf(subject, field, values));
}

function changeOf(subject: string, field: string | undefined, { from, to }: { from: unknown; to: unknown }): Change {
  const what = from === undefined ? 'added' : to === undefined ? 'removed' : 'changed';
  return { what, subject, ...(field !== undefined && { field }), from, to };
}

const SIGNS = { added: '+', removed: '-', changed: '~' } as const;
const MAX_SHOWN = 60;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** A line for people. */
export function lineOf({ what, subject, field, from, to }: Change): string {
  const values = what === 'changed' ? `${shown(from)} → ${shown(to)}` : shown(what === 'added' ? to : from);
  return `${SIGNS[what]} ${subject}${field === undefined ? '' : `: ${field}`}${values === '' ? '' : ` ${values}`}`;
}
