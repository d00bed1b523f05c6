/** One difference between two graphs. */
export interface Change {
  what: 'added' | 'removed' | 'changed';
  /** The changed part: `node build`, `edge a → b`, or a member of the graph. A part of a loop comes after it: `node loop/build`. */
  subject: string;
  /** The changed field of a node that both graphs have: `config.script`. */
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
function diffFields(from: unknown, to: unknown, path: string): Difference[] {
  if (isObject(from) && isObject(to) && !isSingleValue(from) && !isSingleValue(to))
    return diffMembers(from, to, `${path}.`);
  return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ field: path, from, to }];
}

const diffMembers = (from: Json, to: Json, before = ''): Difference[] =>
  [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((name) =>
    diffFields(from[name], to[name], `${before}${name}`),
  );

/** An expression is one value, and so is an object without members. */
const isSingleValue = (value: Json): boolean => Object.hasOwn(value, '$expr') || Object.keys(value).length === 0;

const listOf = (document: Json, member: string): Json[] =>
  Array.isArray(document[member]) ? (document[member] as unknown[]).filter(isObject) : [];

const edgeName = ({ from, to, when }: Json): string =>
  `${String(from)} → ${String(to)}${when === undefined ? '' : ` (${String(when)})`}`;

/** Lists what differs in `to`: nodes and their fields, edges, and other members. */
export function compareGraphs(from: Json, to: Json): Change[] {
  return [
    ...compareNodes(from, to, ''),
    ...diffMembers(otherMembers(from), otherMembers(to)).map(({ field, ...values }) =>
      toChange(field, undefined, values),
    ),
  ];
}

/** The members of a graph and of the config of a loop whose entries are compared by name. */
const otherMembers = (document: Json): Json =>
  Object.fromEntries(Object.entries(document).filter(([name]) => name !== 'nodes' && name !== 'edges'));

/** Lists what differs in nodes and edges; `path`: the loops around them. */
function compareNodes(from: Json, to: Json, path: string): Change[] {
  const [nodes, edges] = [
    pairByName(from, to, 'nodes', ({ id }) => String(id)),
    pairByName(from, to, 'edges', edgeName),
  ];
  return [
    ...nodes.flatMap(([id, a, b]) => nodeChanges(`${path}${id}`, a, b)),
    ...edges.flatMap(([name, a, b]): Change[] =>
      a && b ? [] : [{ what: a ? 'removed' : 'added', subject: `edge ${path}${name}` }],
    ),
  ];
}

function pairByName(from: Json, to: Json, member: string, nameOf: (one: Json) => string) {
  const [a, b] = [from, to].map((document) => new Map(listOf(document, member).map((one) => [nameOf(one), one])));
  return [...new Set([...a!.keys(), ...b!.keys()])].map((name) => [name, a!.get(name), b!.get(name)] as const);
}

/** The type of nodes that have nodes of their own. */
const LOOP = 'each';

function nodeChanges(id: string, from: Json | undefined, to: Json | undefined): Change[] {
  const subject = `node ${id}`;
  if (!from) return [{ what: 'added', subject, to: to!.type }];
  if (!to) return [{ what: 'removed', subject, from: from.type }];
  const change = ({ field, ...values }: Difference) => toChange(subject, field, values);
  if (from.type !== LOOP || to.type !== LOOP || !isObject(from.config) || !isObject(to.config))
    return diffMembers(from, to).map(change);
  const withoutNodes = (node: Json): Json => ({ ...node, config: otherMembers(node.config as Json) });
  return [
    ...diffMembers(withoutNodes(from), withoutNodes(to)).map(change),
    ...compareNodes(from.config, to.config, `${id}/`),
  ];
}

function toChange(subject: string, field: string | undefined, { from, to }: { from: unknown; to: unknown }): Change {
  const what = from === undefined ? 'added' : to === undefined ? 'removed' : 'changed';
  return { what, subject, ...(field !== undefined && { field }), from, to };
}

const SIGNS = { added: '+', removed: '-', changed: '~' } as const;
const MAX_VALUE_LENGTH = 60;

function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

/** Formats a change as one line of text. */
export function formatChange({ what, subject, field, from, to }: Change): string {
  const values =
    what === 'changed' ? `${formatValue(from)} → ${formatValue(to)}` : formatValue(what === 'added' ? to : from);
  return `${SIGNS[what]} ${subject}${field === undefined ? '' : `: ${field}`}${values === '' ? '' : ` ${values}`}`;
}
