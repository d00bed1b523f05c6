import { edgeKey, type GraphDocument, type GraphEdge, type GraphNode, type Point } from '../document.ts';
import { CARD, layout, placesOf } from '../canvas/layout.ts';
import { casesOf } from './cases.ts';
import { freshId } from './ids.ts';

/** Changes of a document. Each answers a new one, in which everything that is as before is the same object. */
export type Members = Partial<Omit<GraphNode, 'id'>>;
export type Settings = Partial<Omit<GraphDocument, 'version' | 'nodes' | 'edges'>>;

export const EMPTY: GraphDocument = { version: 'svc-graph/v1', nodes: [], edges: [] };

export const edgesOf = ({ edges = [] }: GraphDocument): readonly GraphEdge[] => edges;
export const nodeOf = ({ nodes }: GraphDocument, id: string): GraphNode | undefined =>
  nodes.find((node) => node.id === id);
const idsOf = ({ nodes }: GraphDocument): Set<string> => new Set(nodes.map(({ id }) => id));

/** Without members that are undefined. */
const given = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;

/** A node of this type, with an id of its own. `after`: it is connected from that one. */
export function addNode(
  document: GraphDocument,
  node: Omit<GraphNode, 'id'>,
  after?: string,
): { document: GraphDocument; id: string } {
  const id = freshId(node.type, idsOf(document));
  const added = { ...document, nodes: [...document.nodes, given({ id, ...node })] };
  return { document: after === undefined ? added : connect(added, after, id), id };
}

export function removeNodes(document: GraphDocument, ids: ReadonlySet<string>): GraphDocument {
  if (!document.nodes.some(({ id }) => ids.has(id))) return document;
  return {
    ...document,
    nodes: document.nodes.filter(({ id }) => !ids.has(id)),
    edges: edgesOf(document).filter(({ from, to }) => !ids.has(from) && !ids.has(to)),
  };
}

export function moveNodes(document: GraphDocument, places: ReadonlyMap<string, Point>): GraphDocument {
  const nodes = document.nodes.map((node) => {
    const place = places.get(node.id);
    if (!place) return node;
    const position = { x: Math.round(place.x), y: Math.round(place.y) };
    return node.position?.x === position.x && node.position.y === position.y ? node : { ...node, position };
  });
  return nodes.some((node, at) => node !== document.nodes[at]) ? { ...document, nodes } : document;
}

/** Everything gets the place that the layout gives it. */
export const layOut = (document: GraphDocument): GraphDocument => moveNodes(document, layout(document));
/** What has no place gets one. */
export const withPlaces = (document: GraphDocument): GraphDocument => moveNodes(document, placesOf(document));

/** Members that are undefined are taken away. */
export const changeNode = (document: GraphDocument, id: string, members: Members): GraphDocument => ({
  ...document,
  nodes: document.nodes.map((node) => (node.id === id ? given({ ...node, ...members }) : node)),
});

export const changeGraph = (document: GraphDocument, settings: Settings): GraphDocument =>
  given({ ...document, ...settings });

/** The first case of the source that no edge names yet. */
export function freeCase(document: GraphDocument, from: string): boolean | string | undefined {
  const source = nodeOf(document, from);
  const cases = source ? casesOf(source) : [];
  const taken = new Set(edgesOf(document).flatMap((edge) => (edge.from === from ? [edge.when] : [])));
  return cases.find((one) => !taken.has(one)) ?? cases[0];
}

/** The same document where the edge cannot be, or is there. `when` absent: the first free case of the source. */
export function connect(
  document: GraphDocument,
  from: string,
  to: string,
  when: GraphEdge['when'] = freeCase(document, from),
): GraphDocument {
  if (!canConnect(document, from, to)) return document;
  const edge = given({ from, to, when });
  const key = edgeKey(edge);
  if (edgesOf(document).some((one) => edgeKey(one) === key)) return document;
  return { ...document, edges: [...edgesOf(document), edge] };
}

/** No circle, nothing before a trigger. */
export const canConnect = (document: GraphDocument, from: string, to: string): boolean =>
  targetsOf(document, from).some(({ id }) => id === to);

/** Nodes to which an edge can lead from this one. */
export function targetsOf(document: GraphDocument, from: string): GraphNode[] {
  if (!nodeOf(document, from)) return [];
  const before = Map.groupBy(edgesOf(document), ({ to }) => to);
  const seen = new Set([from]);
  // Grows while it is walked.
  for (const id of seen) for (const edge of before.get(id) ?? []) seen.add(edge.from);
  return document.nodes.filter(({ id, type }) => !seen.has(id) && !type.startsWith('trigger.'));
}

export function disconnect(document: GraphDocument, keys: ReadonlySet<string>): GraphDocument {
  const edges = edgesOf(document).filter((edge) => !keys.has(edgeKey(edge)));
  return edges.length === edgesOf(document).length ? document : { ...document, edges };
}

/** Undefined: whatever the source comes to. */
export function setWhen(document: GraphDocument, key: string, when: GraphEdge['when']): GraphDocument {
  const edges = edgesOf(document);
  const changed = edges.map((edge) => (edgeKey(edge) === key ? given({ ...edge, when }) : edge));
  const keys = new Set(changed.map(edgeKey));
  return keys.size === changed.length ? { ...document, edges: changed } : document;
}

const GAP = 72;

/** A node in the middle of an edge: what came along the edge comes to it first. */
export function insertBetween(
  document: GraphDocument,
  key: string,
  node: Omit<GraphNode, 'id'>,
): { document: GraphDocument; id: string } {
  const edge = edgesOf(document).find((one) => edgeKey(one) === key);
  if (!edge || node.type.startsWith('trigger.')) return addNode(document, node);
  const [from, to] = [nodeOf(document, edge.from), nodeOf(document, edge.to)];
  const [start, end] = [from?.position, to?.position];
  const apart = disconnect(document, new Set([key]));
  if (!start || !end) return joined(addNode(apart, node), edge);
  // What comes after it makes room.
  const missing = start.x + 2 * (CARD.width + GAP) - end.x;
  const moved = missing > 0 ? moveNodes(apart, shifted(document, edge.to, missing)) : apart;
  const position = { x: start.x + CARD.width + GAP, y: Math.round((start.y + end.y) / 2) };
  return joined(addNode(moved, { ...node, position }), edge);
}

function joined({ document, id }: { document: GraphDocument; id: string }, { from, to, when }: GraphEdge) {
  const before = { ...document, edges: [...edgesOf(document), given({ from, to: id, when })] };
  return { document: connect(before, id, to), id };
}

/** A node and all that comes after it, further to the right. */
function shifted({ nodes, edges = [] }: GraphDocument, first: string, by: number): Map<string, Point> {
  const after = Map.groupBy(edges, ({ from }) => from);
  const found = new Set([first]);
  // Grows while it is walked.
  for (const id of found) for (const { to } of after.get(id) ?? []) found.add(to);
  return new Map(
    nodes.flatMap(({ id, position }) =>
      found.has(id) && position ? [[id, { x: position.x + by, y: position.y }]] : [],
    ),
  );
}
