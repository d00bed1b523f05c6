import type { GraphDocument, GraphNode } from '../document.ts';
import { changeHoles, renameInCel } from './cel.ts';
import { edgesOf } from './model.ts';

/** Which members of a type's config hold CEL, as the API says. */
export interface Reading {
  expressions: readonly string[];
  holes: readonly string[];
}
export type ReadingOf = (type: string) => Reading | undefined;

type Json = unknown;
const isRecord = (value: Json): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value with `{"$expr": …}` and, with `holes`, the holes of its texts changed. */
function inValue(value: Json, change: (cel: string) => string, holes: boolean): Json {
  if (typeof value === 'string') return holes ? changeHoles(value, change) : value;
  if (Array.isArray(value)) return value.map((one) => inValue(one, change, holes));
  if (!isRecord(value)) return value;
  if (typeof value.$expr === 'string') return { ...value, $expr: change(value.$expr) };
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inValue(one, change, holes)]));
}

/** The members of a loop that are a graph of their own. */
const BODY: ReadonlySet<string> = new Set(['nodes', 'edges', 'output']);

function inConfig(
  type: string,
  config: Record<string, Json>,
  change: (cel: string) => string,
  readingOf: ReadingOf,
): Record<string, Json> {
  const { expressions, holes } = readingOf(type) ?? { expressions: [], holes: [] };
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => {
      if (expressions.includes(name) && typeof value === 'string') return [name, change(value)];
      // The nodes of a loop read one another, and none outside of it.
      if (type === 'each' && BODY.has(name)) return [name, value];
      if (type === 'fan_out' && name === 'node' && isRecord(value) && isRecord(value.config))
        return [name, { ...value, config: inConfig(String(value.type), value.config, change, readingOf) }];
      return [name, inValue(value, change, holes.includes(name))];
    }),
  );
}

function inNode(node: GraphNode, change: (cel: string) => string, readingOf: ReadingOf): GraphNode {
  const { type, config, idempotency_key: key } = node;
  return {
    ...node,
    ...(config && { config: inConfig(type, config, change, readingOf) }),
    ...(key !== undefined && { idempotency_key: inValue(key, change, true) }),
  };
}

/** Nodes with other ids, in which expressions read the others by their new ids too. */
export function renameAmong(
  nodes: readonly GraphNode[],
  to: (id: string) => string,
  readingOf: ReadingOf,
): GraphNode[] {
  const change = (cel: string) => renameInCel(cel, to);
  return nodes.map((node) => {
    const changed = { ...inNode(node, change, readingOf), id: to(node.id) };
    return JSON.stringify(changed) === JSON.stringify(node) ? node : changed;
  });
}

/** Edges and expressions follow. */
export function renameNode(document: GraphDocument, from: string, id: string, readingOf: ReadingOf): GraphDocument {
  const to = (one: string) => (one === from ? id : one);
  const { output } = document;
  return {
    ...document,
    nodes: renameAmong(document.nodes, to, readingOf),
    edges: edgesOf(document).map((edge) =>
      edge.from === from || edge.to === from ? { ...edge, from: to(edge.from), to: to(edge.to) } : edge,
    ),
    ...(output !== undefined && { output: inValue(output, (cel) => renameInCel(cel, to), false) }),
  };
}
