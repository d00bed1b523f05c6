import { readInputs, validateWithSuggestions } from '../../../platform/schema/contract.ts';
import type { NodeConfig } from '../contract.ts';
import type { GraphDocument, GraphEdge, GraphNode } from '../generated/graph.ts';
import graphSchema from '../schema/graph.schema.json' with { type: 'json' };
import { checkEdges } from './check-edges.ts';
import { checkNode, type CheckDeps, type NodeCheck } from './check-node.ts';
import { type Loop, ReadCheck } from './check-reads.ts';
import { checkCircles, toWiring } from './edges.ts';
import { type InvalidGraph, Findings } from './findings.ts';
import {
  asJson,
  BODY_MEMBERS,
  type CheckedGraph,
  DEFAULT_CONCURRENCY,
  GRAPH_VERSION,
  type TypedNode,
} from './graph.ts';
import { NameSuggester } from './name-suggester.ts';
import { isObject } from './values.ts';

const MAX_ID_LENGTH = 55;
const ID = /^[A-Za-z][A-Za-z0-9_-]*$/;
/** The name is `graph.<graph>.<node>.` and at least one more character. */
const MAX_NAMES = 64 - 'graph.'.length - 3;

const { nodes: NODES, edges: EDGES } = graphSchema.properties;

const validateSchema = validateWithSuggestions(graphSchema);

/** What all graphs of one check share: the document and those of its loops. */
interface GraphCheck {
  deps: CheckDeps;
  /** Suggests names of node types. */
  guesses: NameSuggester;
  /** How many more nodes the document and its loops may have. */
  remaining: number;
}

/** Where a graph stands: it is the document, or what an `each` runs. */
interface GraphContext {
  /** The name of the stored graph; undefined for an inline document and in a loop. */
  name?: string | undefined;
  findings: Findings;
  /** Undefined outside of loops. */
  loop?: Loop | undefined;
}

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
  const shared = { deps, guesses: new NameSuggester(() => deps.types.names()), remaining: NODES.maxItems };
  const graph = checkDocument(shared, document, { name, findings, loop: findItemLoop(document, name, findings) });
  if (findings.count === 0) checkOpenRuns(graph!, findings);
  return findings.count > 0 ? findings : { graph: graph! };
}

/** The run of an item has a document of its own, whose expressions can use what the expressions in the loop can. */
function findItemLoop(document: unknown, name: string | undefined, findings: Findings): Loop | undefined {
  if (!isObject(asJson(document)) || (document as GraphDocument).for_item !== true) return undefined;
  if (name !== undefined) findings.add('/for_item', 'is only for the runs of an each; remove it');
  return { outer_ids: [], has_input: true };
}

/** Checks the document or the graph in a loop. Undefined if it is too large to check. */
function checkDocument(
  shared: GraphCheck,
  document: unknown,
  { name, findings, loop }: GraphContext,
): CheckedGraph | undefined {
  const { deps, guesses: type_guesses } = shared;
  if (isTooLarge(shared, document, findings)) return undefined;
  findings.addAll(validateSchema(document));
  const nodes = readList<GraphNode>(document, 'nodes').flatMap((node, index) =>
    typeof node?.id === 'string' ? [{ index, node }] : [],
  );
  const edges = readList<GraphEdge>(document, 'edges').map((edge) => (isEdge(edge) ? edge : NO_EDGE));
  checkIds(nodes, name, findings);
  const ids = new Set(nodes.map(({ node }) => node.id));
  const checkBody = (index: number, config: NodeConfig) =>
    checkLoop(shared, config, {
      findings: findings.below(`/nodes/${index}/config`),
      loop: { outer_ids: [ids, ...(loop?.outer_ids ?? [])], has_input: config.input !== undefined },
    });
  const node_check: NodeCheck = { deps, guesses: type_guesses, findings, checkBody };
  const typed = nodes.map(({ index, node }) => checkNode(node_check, index, node));
  if (loop) reportTriggers(typed, findings);
  const nodes_by_id = firstById(typed);
  const guesses = new NameSuggester(() => ids);
  const wiring = toWiring([...ids], edges);
  checkEdges(edges, { ids, guesses, findNode: (id) => nodes_by_id.get(id) }, findings);
  checkCircles(wiring, edges, findings);
  const inputs = checkInputs(document, findings);
  const check = new ReadCheck(deps.expressions, wiring, guesses, { findings, inputs, loop });
  const reads = typed.map((one) => (one ? check.checkNode(one) : []));
  const graph = document as GraphDocument;
  const output_reads = check.checkOutput(isObject(asJson(document)) ? graph.output : undefined);
  const concurrency = isObject(asJson(document)) ? graph.concurrency : undefined;
  if (typeof concurrency === 'string' || isObject(asJson(concurrency ?? null))) check.checkConcurrency(concurrency!);
  const { variables } = findings;
  return { document: graph, nodes: typed.flatMap((one) => one ?? []), reads, output_reads, variables };
}

const MAX_LOOP_DEPTH = 3;

/** Checks the graph that an `each` runs for its items. */
function checkLoop(
  shared: GraphCheck,
  config: NodeConfig,
  context: GraphContext & { loop: Loop },
): CheckedGraph | undefined {
  if (context.loop.outer_ids.length > MAX_LOOP_DEPTH) {
    context.findings.add('/nodes', `are nested too deeply: an each can be within ${MAX_LOOP_DEPTH - 1} others`);
    return undefined;
  }
  const members = BODY_MEMBERS.flatMap((member) => (config[member] === undefined ? [] : [[member, config[member]]]));
  return checkDocument(shared, { version: GRAPH_VERSION, ...(Object.fromEntries(members) as object) }, context);
}

function reportTriggers(typed: readonly (TypedNode | undefined)[], findings: Findings): void {
  for (const one of typed)
    if (one?.type.trigger)
      findings.add(
        `/nodes/${one.index}/type`,
        `${one.type.type} starts a graph; the nodes of an each start with its items`,
      );
}

/** What `SVC_MAX_CALLED_RUNS` is by default: with more open runs, items would fail. */
const MAX_OPEN_RUNS = 1000;

/** Reports a loop whose items, with those of the loops in it, are too many runs at a time. */
function checkOpenRuns({ nodes }: CheckedGraph, findings: Findings): void {
  for (const typed of nodes) {
    const open = countOpenRuns(typed);
    if (open > MAX_OPEN_RUNS)
      findings.add(
        `/nodes/${typed.index}/config/concurrency`,
        `lets up to ${open} runs be open at once, with the loops in it; the limit is ${MAX_OPEN_RUNS}`,
      );
  }
}

/** How many runs the items of a loop and those of the loops in it can be at a time. */
function countOpenRuns({ body, config: { items, concurrency } }: TypedNode): number {
  if (!body) return 0;
  const at_once = Number(concurrency ?? DEFAULT_CONCURRENCY);
  const count = Array.isArray(items) ? Math.min(at_once, items.length) : at_once;
  return count * (1 + body.nodes.reduce((sum, typed) => sum + countOpenRuns(typed), 0));
}

/** Returns the names of the declared inputs, for the expressions that read them. */
function checkInputs(document: unknown, findings: Findings): { names?: readonly string[] } | undefined {
  const { inputs } = isObject(asJson(document)) ? (document as GraphDocument) : {};
  if (inputs === undefined) return undefined;
  const read = readInputs(inputs);
  if ('problem' in read) {
    findings.add('/inputs', read.problem);
    return {};
  }
  const { properties = {}, additionalProperties: open } = read.schema;
  return open === false ? { names: Object.keys(properties as object) } : {};
}

/** Lists that are too long are not checked any further. */
function isTooLarge(shared: GraphCheck, document: unknown, findings: Findings): boolean {
  let too_large = false;
  for (const [member, { maxItems }] of [
    ['nodes', NODES],
    ['edges', EDGES],
  ] as const) {
    const { length } = readList(document, member);
    if (length <= maxItems) continue;
    findings.add(`/${member}`, `has ${length} items; the limit is ${maxItems}`);
    too_large = true;
  }
  if (too_large) return true;
  shared.remaining -= readList(document, 'nodes').length;
  if (shared.remaining >= 0) return false;
  findings.add('/nodes', `are too many: a graph and its loops can have ${NODES.maxItems} nodes in total`);
  return true;
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
  return `is ${id.length} characters long; the limit is ${Math.max(max_length, 0)}${reason}`;
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
