import { parseDuration } from '../../../kernel/contracts/index.ts';
import type { FlowEdge, FlowNode, FlowPlan } from '../../flows/contract.ts';
import type { Json } from '../../runs/contract.ts';
import type { NodeConfig } from '../contract.ts';
import type { GraphEdge } from '../generated/graph.ts';
import { type CheckedGraph, FAN_OUT, json, type TypedNode, worker } from './graph.ts';
import type { KnownType } from './known-types.ts';
import { GRAPH } from './language.ts';
import { triggersOf } from './triggers.ts';
import { celOf, exprOf, withHoles } from './values.ts';

/** The plan of a graph. `name`: of the stored graph, whose triggers then have registered something. */
export function planOf(graph: CheckedGraph, name: string | undefined): FlowPlan {
  const { document, nodes } = graph;
  const needs = needsOf(document.edges ?? []);
  const triggers = new Set(nodes.filter(({ type }) => type.trigger).map(({ node }) => node.id));
  return {
    language: GRAPH,
    constants: { ...triggersOf(graph, name) },
    on_failure: document.on_failure,
    output: outputOf(graph),
    nodes: ordered(
      nodes.map((typed, n) => flowNodes(typed, needs.get(typed.node.id) ?? [], triggers, graph.reads[n]!)),
    ),
  };
}

/** The nodes of the document keep their places; those before them come last. */
const ordered = (made: readonly (readonly [FlowNode, FlowNode?])[]): FlowNode[] => [
  ...made.map(([node]) => node),
  ...made.flatMap(([, before]) => before ?? []),
];

/** The edges by the nodes to which they lead; several cases of one node are one need. */
function needsOf(edges: readonly GraphEdge[]): Map<string, FlowEdge[]> {
  const cases = new Map<string, Map<string, GraphEdge['when'][]>>();
  for (const { from, to, when } of edges) {
    const sources = cases.get(to) ?? new Map<string, GraphEdge['when'][]>();
    cases.set(to, sources);
    const known = sources.get(from);
    if (known) known.push(when);
    else sources.set(from, [when]);
  }
  return new Map([...cases].map(([to, sources]) => [to, [...sources].map(needOf)]));
}

function needOf([node, cases]: [string, GraphEdge['when'][]]): FlowEdge {
  const [when] = cases;
  return { node, when: cases.length > 1 ? cases.map((one) => one!) : when };
}

export const beforeId = (id: string): string => `${id}--before`;

/** The node of a plan, and the one before it. */
function flowNodes(
  typed: TypedNode,
  needs: readonly FlowEdge[],
  triggers: ReadonlySet<string>,
  reads: readonly string[],
): readonly [FlowNode, FlowNode?] {
  const { type, config } = worker(typed);
  const before = type.before?.(config);
  if (!before) return [flowNode(typed, needs, triggers, reads)];
  const { id } = typed.node;
  const first = beforeId(id);
  const node = flowNode(typed, [{ node: first }], triggers, [...reads, first]);
  const { join, retry, timeout_ms, continue_on_error } = flowNode(typed, needs, triggers, reads);
  return [node, { ...before, id: first, needs, join, retry, timeout_ms, continue_on_error, reads }];
}

function flowNode(
  typed: TypedNode,
  needs: readonly FlowEdge[],
  triggers: ReadonlySet<string>,
  reads: readonly string[],
): FlowNode {
  const { node, type } = typed;
  const { type: work, config } = worker(typed);
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
    ...(type.type === FAN_OUT && { fan_out: fanOutOf(typed.config) }),
    ...(node.retry && { retry: retryOf(node.retry) }),
    ...(timeout_ms !== undefined && { timeout_ms }),
    ...(node.continue_on_error && { continue_on_error: true }),
    ...(node.idempotency_key !== undefined && { key: keyOf(typed) }),
    reads,
  };
}

/** The flow node of a config: its holes are marked, and its own expressions are texts. */
function lowerConfig(
  type: KnownType,
  config: NodeConfig,
  before: string,
): Pick<FlowNode, 'type' | 'config' | 'timeout_ms'> {
  const marked = Object.entries(config).map(([name, value]): [string, Json] => {
    if (type.holes?.includes(name)) return [name, withHoles(value)];
    return [name, type.expressions?.includes(name) ? (exprOf(value) ?? value) : value];
  });
  const lowered = Object.fromEntries(marked);
  return type.lower ? type.lower(lowered, before) : { type: type.type, config: lowered };
}

function fanOutOf({ items, concurrency, finish_all }: NodeConfig): FlowNode['fan_out'] {
  return {
    items: typeof items === 'string' ? items : celOf(items ?? []),
    ...(typeof concurrency === 'number' && { concurrency }),
    ...(finish_all === true && { finish_all }),
  };
}

const retryOf = ({ attempts, backoff }: { attempts: number; backoff?: string }) => ({
  attempts,
  ...(backoff !== undefined && { backoff_ms: parseDuration(backoff) }),
});

/** Items of a fan-out have keys of their own: one that does not name the item gets its number. */
function keyOf({ node, type, key_of_item }: TypedNode): Json {
  const key = json(node.idempotency_key);
  if (type.type !== FAN_OUT || key_of_item) return withHoles(key);
  const text = exprOf(key);
  return withHoles(`${text === undefined ? String(key) : `{{ ${text} }}`}~{{ index }}`);
}

function outputOf({ document, nodes, output_reads }: CheckedGraph): FlowPlan['output'] {
  if (document.output !== undefined) return { text: celOf(json(document.output)), reads: output_reads };
  const left = new Set((document.edges ?? []).map(({ from }) => from));
  const ends = nodes.filter(({ node, type }) => !left.has(node.id) && !type.trigger).map(({ node }) => node.id);
  if (ends.length === 0 || ends.length > MAX_ENDS) return undefined;
  const read = (id: string) => ({ $expr: `nodes[${JSON.stringify(id)}].output` });
  const value = ends.length === 1 ? read(ends[0]!) : Object.fromEntries(ends.map((id) => [id, read(id)]));
  return { text: celOf(value), reads: ends };
}

/** With more ends the default output would be as large as the graph; such a graph names its output itself. */
const MAX_ENDS = 64;
