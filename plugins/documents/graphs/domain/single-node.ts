import type { Json } from '../../../engine/runs/contract.ts';
import { GRAPH_VERSION } from './graph.ts';

/** The id of the only node. */
export const NODE_ID = 'node';

/** Builds the text of a graph with one node, whose output is that of the graph. */
export const singleNode = (type: string, config: Json): string =>
  JSON.stringify({ version: GRAPH_VERSION, nodes: [{ id: NODE_ID, type, config }], edges: [] });
