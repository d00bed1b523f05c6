import { nodeName } from '../canvas/node-names.ts';
import { type GraphDocument, type GraphNode, readDocument } from '../document.ts';
import { changeNode, edgesOf, nodeOf, withPlaces } from './model.ts';

/** The loops in which one is, outermost first, by the ids of their nodes. Empty: in the graph itself. */
export type LoopPath = readonly string[];

export const isLoop = ({ type }: Pick<GraphNode, 'type'>): boolean => type === 'each';

/** The members of a loop's config that are the graph that it runs for each item. */
export const BODY_MEMBERS = ['nodes', 'edges', 'output', 'on_failure'] as const;

/** The graph in a loop, or why it cannot be drawn. */
export function bodyOf({ config = {} }: GraphNode): GraphDocument | Error {
  const { nodes = [], edges = [], output, on_failure } = config;
  try {
    const body = {
      nodes,
      edges,
      ...(output !== undefined && { output }),
      ...(on_failure !== undefined && { on_failure }),
    };
    return { ...readDocument(body), for_item: true };
  } catch (error) {
    return error as Error;
  }
}

/** The same with a place for every node; undefined for what is no loop or cannot be drawn. */
function drawnBody(document: GraphDocument, id: string): GraphDocument | undefined {
  const node = nodeOf(document, id);
  const body = node && isLoop(node) ? bodyOf(node) : undefined;
  return body instanceof Error || !body ? undefined : withPlaces(body);
}

/** The graph at a path; undefined where it leads nowhere. */
export const graphAt = (document: GraphDocument, path: LoopPath): GraphDocument | undefined =>
  path.reduce<GraphDocument | undefined>((level, id) => level && drawnBody(level, id), document);

/** How people know a node of the graph at a path. */
export function nameAt(document: GraphDocument, path: LoopPath, id: string): string {
  const level = graphAt(document, path);
  const node = level && nodeOf(level, id);
  return node ? nodeName(node) : id;
}

/** As much of a path as is there. */
export function reachable(document: GraphDocument, path: LoopPath): LoopPath {
  for (let depth = path.length; depth > 0; depth--) {
    if (!graphAt(document, path.slice(0, depth))) continue;
    return depth === path.length ? path : path.slice(0, depth);
  }
  return path.length === 0 ? path : [];
}

/** The whole document after a change of the graph at a path; the same where nothing changes. */
export function changeAt(
  document: GraphDocument,
  [id, ...rest]: LoopPath,
  change: (level: GraphDocument) => GraphDocument,
): GraphDocument {
  if (id === undefined) return change(document);
  const body = drawnBody(document, id);
  const changed = body && changeAt(body, rest, change);
  if (!changed || changed === body) return document;
  const { config = {} } = nodeOf(document, id)!;
  return changeNode(document, id, { config: withBody(config, changed) });
}

function withBody(config: Readonly<Record<string, unknown>>, body: GraphDocument): Record<string, unknown> {
  const edges = edgesOf(body);
  const members = {
    ...config,
    nodes: body.nodes,
    edges: edges.length > 0 || config.edges !== undefined ? edges : undefined,
    output: body.output,
    on_failure: body.on_failure,
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
