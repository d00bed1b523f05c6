/** A graph document as pages read it: what the server has not checked yet may lack anything but ids and types. */
export interface GraphNode {
  id: string;
  type: string;
  config?: Record<string, unknown>;
  retry?: { attempts: number; backoff?: string };
  timeout?: string;
  continue_on_error?: boolean;
  join?: 'all' | 'any';
  idempotency_key?: unknown;
  title?: string;
  description?: string;
  position?: Point;
}

export interface GraphEdge {
  from: string;
  to: string;
  when?: boolean | string;
}

export interface GraphDocument {
  version: 'svc-graph/v1';
  title?: string;
  description?: string;
  nodes: readonly GraphNode[];
  edges?: readonly GraphEdge[];
  inputs?: unknown;
  output?: unknown;
  /** It runs an item of a loop. */
  for_item?: boolean;
  on_failure?: 'stop' | 'finish';
  cancel_on?: readonly string[];
  tags?: readonly string[];
  subject?: string;
}

export interface Point {
  x: number;
  y: number;
}

/** Two edges of one key say the same. */
export const edgeKey = ({ from, to, when }: GraphEdge): string => JSON.stringify([from, to, when ?? null]);

/** `orders → large, when true`. */
export const edgeWords = ({ from, to, when }: GraphEdge): string =>
  `${from} → ${to}${when === undefined ? '' : `, when ${when}`}`;

const isText = (value: unknown): value is string => typeof value === 'string';
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isNode(value: unknown): value is GraphNode {
  if (!isRecord(value) || !isText(value.id) || !isText(value.type)) return false;
  const { config, position } = value;
  if (config !== undefined && !isRecord(config)) return false;
  return position === undefined || (isRecord(position) && [position.x, position.y].every(Number.isFinite));
}

const isEdge = (value: unknown): value is GraphEdge => isRecord(value) && isText(value.from) && isText(value.to);

/** What can be drawn. Throws an error in plain words for what cannot. */
export function readDocument(value: unknown): GraphDocument {
  if (!isRecord(value) || !Array.isArray(value.nodes))
    throw new Error('This is not a graph document: it must be an object with a list of nodes.');
  const bad = value.nodes.findIndex((node) => !isNode(node));
  if (bad >= 0) throw new Error(`Node ${bad + 1} of the document cannot be drawn: its id and its type must be text.`);
  const { edges = [] } = value;
  if (!Array.isArray(edges) || !edges.every(isEdge))
    throw new Error('The edges of the document must be a list of objects with from and to.');
  const seen = new Set<string>();
  for (const { id } of value.nodes as GraphNode[]) {
    if (seen.has(id)) throw new Error(`Two nodes of the document have the ID ${id}.`);
    seen.add(id);
  }
  return { ...value, version: 'svc-graph/v1', nodes: value.nodes, edges };
}
