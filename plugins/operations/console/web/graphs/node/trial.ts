import type { Sample } from '../expressions/names.ts';
import { nodeName } from '../canvas/node-names.ts';
import type { GraphDocument, GraphNode } from '../document.ts';

/** Does data hold a member that a document would evaluate? */
const evaluates = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.some(evaluates);
  if (typeof value !== 'object' || value === null) return false;
  return '$expr' in value || Object.values(value).some(evaluates);
};

/** Data as a value of a document. What looks like an expression is written as one that comes to it: JSON is CEL too. */
const given = (value: unknown): unknown => (evaluates(value) ? { $expr: JSON.stringify(value) } : (value ?? null));

/**
 * A graph in which one node runs alone: those before it are there by name, and give what the sample says instead of what
 * they do.
 */
export function trialOf(node: GraphNode, before: readonly string[], sample: Sample | undefined): GraphDocument {
  const { position: _, join: _join, ...own } = node;
  const stand = before.map((id) => ({
    id,
    type: 'set',
    config: { values: given(sample?.nodes?.[id]?.output) },
  }));
  return {
    version: 'svc-graph/v1',
    title: `Try ${nodeName(node)}`.slice(0, 255),
    nodes: [...stand, own],
    edges: before.map((from) => ({ from, to: node.id })),
    tags: ['trial'],
  };
}

/** The nodes of `before` that a node names in its config, so that a trial needs no others. */
export function readBy(node: GraphNode, before: readonly string[], nodesIn: (text: string) => string[]): string[] {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value === 'string') for (const id of nodesIn(value)) found.add(id);
    else if (Array.isArray(value)) for (const one of value) visit(one);
    else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) visit(one);
  };
  visit(node.config);
  visit(node.idempotency_key);
  return before.filter((id) => found.has(id));
}
