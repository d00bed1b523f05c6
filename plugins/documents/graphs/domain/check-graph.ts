import { validateWithSuggestions } from '../../../platform/schema/contract.ts';
import type { GraphDocument, GraphEdge, GraphNode } from '../generated/graph.ts';
import graphSchema from '../schema/graph.schema.json' with { type: 'json' };
import { checkEdges } from './check-edges.ts';
import { checkNode, type CheckDeps, type NodeCheck } from './check-node.ts';
import { ReadCheck } from './check-reads.ts';
import { checkCircles, toWiring } from './edges.ts';
import { type InvalidGraph, Findings } from './findings.ts';
import { type CheckedGraph, asJson, type TypedNode } from './graph.ts';
import { NameSuggester } from './name-suggester.ts';
import { isObject } from './values.ts';

const MAX_ID_LENGTH = 55;
const ID = /^[A-Za-z][A-Za-z0-9_-]*$/;
/** The name is `graph.<graph>.<node>.` and at least one more character. */
const MAX_NAMES = 64 - 'graph.'.length - 3;

const { nodes: NODES, edges: EDGES } = graphSchema.properties;

const validateSchema = validateWithSuggestions(graphSchema);

/**
 * Returns either all errors of a document, or the graph. Well-formed parts are checked even if others are not. `name`
 * is the name of the stored graph; undefined for an inline document.
 */
export function checkGraph(
  deps: CheckDeps,
  document: unknown,
  name: string | undefined,
): InvalidGraph | { graph: CheckedGraph } {
  const findings = new Findings();
  if (isTooLarge(document, findings)) return findings;
  findings.addAll(validateSchema(document));
  const nodes = readList<GraphNode>(document, 'nodes').flatMap((node, index) =>
    typeof node?.id === 'string' ? [{ index, node }] : [],
  );
  const edges = readList<GraphEdge>(document, 'edges').map((edge) => (isEdge(edge) ? edge : NO_EDGE));
  checkIds(nodes, name, findings);
  const node_check: NodeCheck = { deps, guesses: new NameSuggester(() => deps.types.names()), findings };
  const typed = nodes.map(({ index, node }) => checkNode(node_check, index, node));
  const nodes_by_id = firstById(typed);
  const ids = new Set(nodes.map(({ node }) => node.id));
  const guesses = new NameSuggester(() => ids);
  const wiring = toWiring([...ids], edges);
  checkEdges(edges, { ids, guesses, findNode: (id) => nodes_by_id.get(id) }, findings);
  checkCircles(wiring, edges, findings);
  const check = new ReadCheck(deps.expressions, wiring, guesses, findings);
  const reads = typed.map((one) => (one ? check.checkNode(one) : []));
  const graph = document as GraphDocument;
  const output_reads = check.checkOutput(isObject(asJson(document)) ? graph.output : undefined);
  if (findings.count > 0) return findings;
  return { graph: { document: graph, nodes: typed.map((one) => one!), reads, output_reads } };
}

/** Lists that are too long are not checked any further. */
function isTooLarge(document: unknown, findings: Findings): boolean {
  for (const [member, { maxItems }] of [
    ['nodes', NODES],
    ['edges', EDGES],
  ] as const) {
    const { length } = readList(document, member);
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
    const first_index = first.get(id);
    if (first_index === undefined) first.set(id, index);
    const double = first_index === undefined ? undefined : `${id.slice(0, 64)} is also the id of node ${first_index}`;
    const messages = id === '' ? [] : [validateIdForm(id), double, validateIdLength(id, name)];
    for (const message of messages) if (message !== undefined) findings.add(`/nodes/${index}/id`, message);
  }
}

const validateIdForm = (id: string): string | undefined =>
  ID.test(id) ? undefined : 'must be letters, digits, _ and -, beginning with a letter';

function validateIdLength(id: string, name: string | undefined): string | undefined {
  const max_length = name === undefined ? MAX_ID_LENGTH : Math.min(MAX_ID_LENGTH, MAX_NAMES - name.length);
  if (id.length <= max_length) return undefined;
  const reason = name === undefined ? '' : `: graph.${name}.<id>. must have fewer than 64 characters`;
  return `has ${id.length} characters; the limit is ${Math.max(max_length, 0)}${reason}`;
}

function firstById(typed: readonly (TypedNode | undefined)[]): Map<string, TypedNode> {
  const nodes_by_id = new Map<string, TypedNode>();
  for (const node of typed) if (node && !nodes_by_id.has(node.node.id)) nodes_by_id.set(node.node.id, node);
  return nodes_by_id;
}

/** Replaces an entry of `edges` that is not an edge. */
const NO_EDGE: GraphEdge = { from: '', to: '' };

const isEdge = (edge: unknown): edge is GraphEdge =>
  isObject(asJson(edge)) && typeof (edge as GraphEdge).from === 'string' && typeof (edge as GraphEdge).to === 'string';

function readList<T>(document: unknown, member: string): T[] {
  const list = isObject(asJson(document)) ? (document as Record<string, unknown>)[member] : undefined;
  return Array.isArray(list) ? (list as T[]) : [];
}
