import type { Json } from '../../runs/contract.ts';
import { GRAPH_VERSION } from './graph.ts';

/** The id of the node of such a graph. */
export const ONLY = 'node';

/** The text of a graph of one node, whose output is that of the graph. */
export const singleNode = (type: string, config: Json): string =>
  JSON.stringify({ version: GRAPH_VERSION, nodes: [{ id: ONLY, type, config }], edges: [] });
