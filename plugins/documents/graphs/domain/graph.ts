import type { Json } from '../../../engine/runs/contract.ts';
import type { NodeConfig } from '../contract.ts';
import type { GraphDocument, GraphNode } from '../generated/graph.ts';
import type { CompiledNodeType } from './node-type-catalog.ts';

export const GRAPH_VERSION = 'svc-graph/v1';
/** The type of nodes that run another node for each item of a list. */
export const FAN_OUT = 'fan_out';
/** The type of nodes that run a graph of their own for each item of a list. */
export const EACH = 'each';
/** The members of the config of an `each` that are the graph it runs. */
export const BODY_MEMBERS = ['nodes', 'edges', 'output', 'on_failure'] as const;
/** An item of an `each` is a run, so there can be fewer of them than items of a fan-out. */
export const MAX_LOOP_ITEMS = 10_000;
export const DEFAULT_CONCURRENCY = 16;

/** A node with its resolved type. */
export interface TypedNode {
  /** The index of the node in the document. */
  index: number;
  node: GraphNode;
  type: CompiledNodeType;
  config: NodeConfig;
  /** The node that a fan-out runs for each item. */
  inner?: { type: CompiledNodeType; config: NodeConfig };
  /** The graph that an `each` runs for each item. */
  body?: CheckedGraph;
  /** The idempotency key names the item of the fan-out. */
  key_names_item?: boolean;
}

/** A graph without errors. */
export interface CheckedGraph {
  document: GraphDocument;
  nodes: readonly TypedNode[];
  /** The nodes whose outputs each node reads, indexed by node. */
  reads: readonly (readonly string[])[];
  output_reads: readonly string[];
  /** The variables that expressions read, here and in loops, and a pointer to the first expression that reads each. */
  variables: ReadonlyMap<string, string>;
}

/**
 * Returns the type and config that do the work, with their pointer. For a fan-out, this is the node that it runs for
 * each item.
 */
export const workNode = ({ index, type, config, inner }: TypedNode) =>
  inner
    ? { type: inner.type, config: inner.config, pointer: `/nodes/${index}/config/node/config` }
    : { type, config, pointer: `/nodes/${index}/config` };

/** True for nodes that run something for each item of a list. */
export const hasItems = ({ type }: CompiledNodeType): boolean => type === FAN_OUT || type === EACH;

/** The members of an `each` that the graph around it evaluates. */
export const withoutBody = (config: NodeConfig): NodeConfig =>
  Object.fromEntries(Object.entries(config).filter(([name]) => !BODY_MEMBERS.some((member) => member === name)));

/** A node of a graph, or of a loop in it. */
export interface PlacedNode {
  typed: TypedNode;
  /** The JSON pointer to the document that the node is part of: empty, or the config of an `each`. */
  document_pointer: string;
  /** The IDs of the loops around it and its own, joined by slashes. */
  path: string;
}

/** Lists the nodes of a graph, and those of a loop after the loop. */
export function* everyNode({ nodes }: CheckedGraph, document_pointer = '', path = ''): Generator<PlacedNode> {
  for (const typed of nodes) {
    const node_path = `${path}${typed.node.id}`;
    yield { typed, document_pointer, path: node_path };
    if (typed.body) yield* everyNode(typed.body, `${document_pointer}/nodes/${typed.index}/config`, `${node_path}/`);
  }
}

export const toConfig = (config: unknown): NodeConfig => (config ?? {}) as NodeConfig;

export const asJson = (value: unknown): Json => value as Json;
