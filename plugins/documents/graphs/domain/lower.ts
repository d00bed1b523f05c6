import { parseDuration } from '../../../../kernel/contracts/index.ts';
import type { FlowEdge, FlowNode, FlowPlan } from '../../../engine/flows/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import type { NodeConfig } from '../contract.ts';
import type { GraphEdge } from '../generated/graph.ts';
import { withLease } from './concurrency.ts';
import { type CheckedGraph, EACH, asJson, hasItems, MAX_LOOP_ITEMS, type TypedNode, workNode } from './graph.ts';
import type { CompiledNodeType } from './node-type-catalog.ts';
import { GRAPH } from './language.ts';
import { triggersOf } from './triggers.ts';
import { toCel, readExpr, compileTemplates } from './values.ts';

/** Lowers a graph to a flow plan. `name` is the name of the stored graph, whose triggers have registered something. */
export function toFlowPlan(graph: CheckedGraph, name: string | undefined): FlowPlan {
  const { document, nodes } = graph;
  const needs = groupNeeds(document.edges ?? []);
  const triggers = new Set(nodes.filter(({ type }) => type.trigger).map(({ node }) => node.id));
  return {
    language: GRAPH,
    constants: { ...triggersOf(graph, name), ...(document.for_item && { for_item: true }) },
    on_failure: document.on_failure,
    output: toOutput(graph),
    nodes: withLease(
      document.concurrency,
      orderNodes(
        nodes.map((typed, n) => toFlowNodes(typed, needs.get(typed.node.id) ?? [], triggers, graph.reads[n]!)),
      ),
    ),
  };
}

/** Keeps the nodes of the document in their order and puts helper nodes last. */
const orderNodes = (node_groups: readonly (readonly [FlowNode, FlowNode?])[]): FlowNode[] => [
  ...node_groups.map(([node]) => node),
  ...node_groups.flatMap(([, before]) => before ?? []),
];

/** The edges by the nodes to which they lead; several cases of one node are one need. */
function groupNeeds(edges: readonly GraphEdge[]): Map<string, FlowEdge[]> {
  const cases = new Map<string, Map<string, GraphEdge['when'][]>>();
  for (const { from, to, when } of edges) {
    const sources = cases.get(to) ?? new Map<string, GraphEdge['when'][]>();
    cases.set(to, sources);
    const cases_from = sources.get(from);
    if (cases_from) cases_from.push(when);
    else sources.set(from, [when]);
  }
  return new Map([...cases].map(([to, sources]) => [to, [...sources].map(toNeed)]));
}

function toNeed([node, cases]: [string, GraphEdge['when'][]]): FlowEdge {
  const [when] = cases;
  return { node, when: cases.length > 1 ? cases.map((one) => one!) : when };
}

export const beforeId = (id: string): string => `${id}--before`;

/** Lowers a node to a flow node and, for some types, a second one that runs before it. */
function toFlowNodes(
  typed: TypedNode,
  needs: readonly FlowEdge[],
  triggers: ReadonlySet<string>,
  reads: readonly string[],
): readonly [FlowNode, FlowNode?] {
  const { type, config } = workNode(typed);
  const before = type.before?.(config);
  if (!before) return [toFlowNode(typed, needs, triggers, reads)];
  const { id } = typed.node;
  const first = beforeId(id);
  const node = toFlowNode(typed, [{ node: first }], triggers, [...reads, first]);
  const { join, retry, timeout_ms, continue_on_error } = toFlowNode(typed, needs, triggers, reads);
  return [node, { ...before, id: first, needs, join, retry, timeout_ms, continue_on_error, reads }];
}

function toFlowNode(
  typed: TypedNode,
  needs: readonly FlowEdge[],
  triggers: ReadonlySet<string>,
  reads: readonly string[],
): FlowNode {
  const { node, type } = typed;
  const { type: work, config } = workNode(typed);
  const lowered = lowerConfig(work, config, `nodes[${JSON.stringify(beforeId(node.id))}]`);
  const from_triggers = needs.filter((need) => triggers.has(need.node)).length;
  const timeout_ms = node.timeout === undefined ? lowered.timeout_ms : parseDuration(node.timeout);
  return {
    ...lowered,
    id: node.id,
    shown_type: type.type,
    needs,
    join: node.join ?? (from_triggers > 1 ? 'any' : 'all'),
    ...(type.trigger && { if: { text: `${JSON.stringify(node.id)} in run.fired` } }),
    ...(hasItems(type) && { fan_out: toFanOut(typed) }),
    ...(node.retry && { retry: toRetry(node.retry) }),
    ...(timeout_ms !== undefined && { timeout_ms }),
    ...(node.continue_on_error && { continue_on_error: true }),
    ...(node.idempotency_key !== undefined && { key: toKey(typed) }),
    reads,
  };
}

/** Lowers a config: its templates are compiled, and its own expressions become texts. */
function lowerConfig(
  type: CompiledNodeType,
  config: NodeConfig,
  before: string,
): Pick<FlowNode, 'type' | 'config' | 'timeout_ms'> {
  const members = Object.entries(config).map(([name, value]): [string, Json] => {
    if (type.holes?.includes(name)) return [name, compileTemplates(value)];
    return [name, type.expressions?.includes(name) ? (readExpr(value) ?? value) : value];
  });
  const lowered = Object.fromEntries(members);
  return type.lower ? type.lower(lowered, before) : { type: type.type, config: lowered };
}

function toFanOut({ type, config: { items, concurrency, finish_all } }: TypedNode): FlowNode['fan_out'] {
  return {
    ...(type.type === EACH && { max_items: MAX_LOOP_ITEMS }),
    items: typeof items === 'string' ? items : toCel(items ?? []),
    ...(typeof concurrency === 'number' && { concurrency }),
    ...(finish_all === true && { finish_all }),
  };
}

const toRetry = ({ attempts, backoff }: { attempts: number; backoff?: string }) => ({
  attempts,
  ...(backoff !== undefined && { backoff_ms: parseDuration(backoff) }),
});

/**
 * Lowers an idempotency key. Every item of a fan-out needs a key of its own, so a key that does not name the item gets
 * its index.
 */
function toKey({ node, type, key_names_item }: TypedNode): Json {
  const key = asJson(node.idempotency_key);
  if (!hasItems(type) || key_names_item) return compileTemplates(key);
  const text = readExpr(key);
  return compileTemplates(`${text === undefined ? String(key) : `{{ ${text} }}`}~{{ index }}`);
}

function toOutput({ document, nodes, output_reads }: CheckedGraph): FlowPlan['output'] {
  if (document.output !== undefined) return { text: toCel(asJson(document.output)), reads: output_reads };
  const sources = new Set((document.edges ?? []).map(({ from }) => from));
  const end_ids = nodes.filter(({ node, type }) => !sources.has(node.id) && !type.trigger).map(({ node }) => node.id);
  if (end_ids.length === 0 || end_ids.length > MAX_ENDS) return undefined;
  const readOutput = (id: string) => ({ $expr: `nodes[${JSON.stringify(id)}].output` });
  const value =
    end_ids.length === 1 ? readOutput(end_ids[0]!) : Object.fromEntries(end_ids.map((id) => [id, readOutput(id)]));
  return { text: toCel(value), reads: end_ids };
}

/** With more ends, the default output would be as large as the graph. Such a graph must declare its output. */
const MAX_ENDS = 64;
