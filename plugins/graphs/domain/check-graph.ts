import { faultsBy } from '../../schema/contract.ts';
import type { GraphDocument, GraphEdge, GraphNode } from '../generated/graph.ts';
import graphSchema from '../schema/graph.schema.json' with { type: 'json' };
import { checkEdges } from './check-edges.ts';
import { checkNode, type CheckParts } from './check-node.ts';
import { ReadCheck } from './check-reads.ts';
import { checkCircles, wiringOf } from './edges.ts';
import { type Faulty, Findings } from './findings.ts';
import { type CheckedGraph, json, type TypedNode } from './graph.ts';
import { Guesses } from './guesses.ts';
import { isObject } from './values.ts';

const MAX_ID_LENGTH = 55;
const ID = /^[A-Za-z][A-Za-z0-9_-]*$/;
/** `graph.`, the dot between graph and node, the last dot, and one character. */
const MAX_NAMES = 64 - 'graph.'.length - 3;

const { nodes: NODES, edges: EDGES } = graphSchema.properties;

const schemaFaults = faultsBy(graphSchema);

/**
 * Either all faults of a document, or the graph. The parts that have the right form are checked even if others have not.
 * `name`: of the stored graph; undefined for an inline document.
 */
export function checkGraph(
  parts: CheckParts,
  document: unknown,
  name: string | undefined,
): Faulty | { graph: CheckedGraph } {
  const findings = new Findings();
  if (isTooLarge(document, findings)) return findings;
  findings.addAll(schemaFaults(document));
  const nodes = listOf<GraphNode>(document, 'nodes').flatMap((node, index) =>
    typeof node?.id === 'string' ? [{ index, node }] : [],
  );
  const edges = listOf<GraphEdge>(document, 'edges').map((edge) => (isEdge(edge) ? edge : NO_EDGE));
  checkIds(nodes, name, findings);
  const of_types = { parts, guesses: new Guesses(() => parts.types.names()), findings };
  const typed = nodes.map(({ index, node }) => checkNode(of_types, index, node));
  const of_id = firstById(typed);
  const ids = new Set(nodes.map(({ node }) => node.id));
  const guesses = new Guesses(() => ids);
  const wiring = wiringOf([...ids], edges);
  checkEdges(edges, { ids, guesses, typedOf: (id) => of_id.get(id) }, findings);
  checkCircles(wiring, edges, findings);
  const check = new ReadCheck(parts.expressions, wiring, guesses, findings);
  const reads = typed.map((one) => (one ? check.node(one) : []));
  const graph = document as GraphDocument;
  const output_reads = check.output(isObject(json(document)) ? graph.output : undefined);
  if (findings.count > 0) return findings;
  return { graph: { document: graph, nodes: typed.map((one) => one!), reads, output_reads } };
}

/** Lists that are too long are not looked into. */
function isTooLarge(document: unknown, findings: Findings): boolean {
  for (const [member, { maxItems }] of [
    ['nodes', NODES],
    ['edges', EDGES],
  ] as const) {
    const { length } = listOf(document, member);
    if (length > maxItems) findings.add(`/${member}`, `has ${length} items; the limit is ${maxItems}`);
  }
  return findings.count > 0;
}

function checkIds(
  nodes: readonly { index: number; node: GraphNode }[],
  name: string | undefined,
  findings: Findings,
): void {
  const first = new Map<string, number>();
  for (const { index, node } of nodes) {
    const { id } = node;
    const known = first.get(id);
    if (known === undefined) first.set(id, index);
    const double = known === undefined ? undefined : `${id.slice(0, 64)} is the id of node ${known} too`;
    const messages = id === '' ? [] : [formFault(id), double, lengthFault(id, name)];
    for (const message of messages) if (message !== undefined) findings.add(`/nodes/${index}/id`, message);
  }
}

const formFault = (id: string): string | undefined =>
  ID.test(id) ? undefined : 'must be letters, digits, _ and -, beginning with a letter';

function lengthFault(id: string, name: string | undefined): string | undefined {
  const most = name === undefined ? MAX_ID_LENGTH : Math.min(MAX_ID_LENGTH, MAX_NAMES - name.length);
  if (id.length <= most) return undefined;
  const why = name === undefined ? '' : `: graph.${name}.<id>. must leave room for a character in 64`;
  return `has ${id.length} characters; the limit is ${Math.max(most, 0)}${why}`;
}

function firstById(typed: readonly (TypedNode | undefined)[]): Map<string, TypedNode> {
  const found = new Map<string, TypedNode>();
  for (const one of typed) if (one && !found.has(one.node.id)) found.set(one.node.id, one);
  return found;
}

/** In the place of what is no edge. */
const NO_EDGE: GraphEdge = { from: '', to: '' };

const isEdge = (edge: unknown): edge is GraphEdge =>
  isObject(json(edge)) && typeof (edge as GraphEdge).from === 'string' && typeof (edge as GraphEdge).to === 'string';

function listOf<T>(document: unknown, member: string): T[] {
  const list = isObject(json(document)) ? (document as Record<string, unknown>)[member] : undefined;
  return Array.isArray(list) ? (list as T[]) : [];
}
