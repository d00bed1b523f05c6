import type { Json } from '../../../engine/runs/contract.ts';
import type { NodeConfig } from '../contract.ts';
import type { GraphDocument, GraphNode } from '../generated/graph.ts';
import type { CompiledNodeType } from './node-type-catalog.ts';

export const GRAPH_VERSION = 'svc-graph/v1';
/** The type of nodes that run another node for each item of a list. */
export const FAN_OUT = 'fan_out';

/** A node with its resolved type. */
export interface TypedNode {
  /** The index of the node in the document. */
  index: number;
  node: GraphNode;
  type: CompiledNodeType;
  config: NodeConfig;
  /** The node that a fan-out runs for each item. */
  inner?: { type: CompiledNodeType; config: NodeConfig };
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
}

/**
 * Returns the type and config that do the work, with their pointer. For a fan-out, this is the node that it runs for
 * each item.
 */
export const workNode = ({ index, type, config, inner }: TypedNode) =>
  inner
    ? { type: inner.type, config: inner.config, pointer: `/nodes/${index}/config/node/config` }
    : { type, config, pointer: `/nodes/${index}/config` };

export const toConfig = (config: unknown): NodeConfig => (config ?? {}) as NodeConfig;

export const asJson = (value: unknown): Json => value as Json;
