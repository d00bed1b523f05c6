import dagre from '@dagrejs/dagre';
import type { GraphDocument, Point } from '../document.ts';

/** All cards are of one size, so that nothing needs to be measured. */
export const CARD = { width: 216, height: 64 } as const;
const GAP = { across: 28, along: 72 } as const;

/** Places for all nodes, from left to right. */
export function layout({ nodes, edges = [] }: Pick<GraphDocument, 'nodes' | 'edges'>): Map<string, Point> {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: GAP.across, ranksep: GAP.along });
  // Numbers: an id may be `constructor`, which the library would take for something else.
  const numbers = new Map(nodes.map(({ id }, at) => [id, String(at)]));
  for (const name of numbers.values()) graph.setNode(name, { ...CARD });
  for (const { from, to } of edges) {
    const [a, b] = [numbers.get(from), numbers.get(to)];
    if (a !== undefined && b !== undefined && a !== b) graph.setEdge(a, b, {});
  }
  dagre.layout(graph);
  return new Map(
    nodes.map(({ id }) => {
      const { x, y } = graph.node(numbers.get(id)!) as Point;
      return [id, { x: Math.round(x - CARD.width / 2), y: Math.round(y - CARD.height / 2) }];
    }),
  );
}

/** Where the document says, or a place beside it where it does not. */
export function placesOf(document: Pick<GraphDocument, 'nodes' | 'edges'>): Map<string, Point> {
  const placed = document.nodes.filter(({ position }) => position);
  if (placed.length === document.nodes.length) return new Map(placed.map(({ id, position }) => [id, position!]));
  const places = layout(document);
  if (placed.length === 0) return places;
  // What has no place comes below what has one.
  const below = Math.max(...placed.map(({ position }) => position!.y)) + CARD.height + GAP.across;
  for (const [id, { x, y }] of places) places.set(id, { x, y: y + below });
  for (const { id, position } of placed) places.set(id, position!);
  return places;
}
