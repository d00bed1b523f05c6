import type { Json } from '../../runs/contract.ts';
import type { NodeConfig } from '../contract.ts';
import type { GraphDocument, GraphNode } from '../generated/graph.ts';
import type { KnownType } from './known-types.ts';

export const GRAPH_VERSION = 'svc-graph/v1';
/** The type of nodes that run another node for each item of a list. */
export const FAN_OUT = 'fan_out';

/** A node whose type is known. */
export interface TypedNode {
  /** Its place in the document. */
  index: number;
  node: GraphNode;
  type: KnownType;
  config: NodeConfig;
  /** The node that a fan-out runs for each item. */
  inner?: { type: KnownType; config: NodeConfig };
  /** The idempotency key names the item of the fan-out. */
  key_of_item?: boolean;
}

/** A graph without faults. */
export interface CheckedGraph {
  document: GraphDocument;
  nodes: readonly TypedNode[];
  /** The nodes whose outputs each node reads, by its number. */
  reads: readonly (readonly string[])[];
  output_reads: readonly string[];
}

/** The node that does the work: of a fan-out the one that runs for each item, with the pointer of its config. */
export const worker = ({ index, type, config, inner }: TypedNode) =>
  inner
    ? { type: inner.type, config: inner.config, pointer: `/nodes/${index}/config/node/config` }
    : { type, config, pointer: `/nodes/${index}/config` };

export const configOf = (config: unknown): NodeConfig => (config ?? {}) as NodeConfig;

export const json = (value: unknown): Json => value as Json;
