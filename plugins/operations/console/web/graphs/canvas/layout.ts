import dagre from '@dagrejs/dagre';
import type { GraphDocument, Point } from '../document.ts';

/** All cards are of one size, so that nothing needs to be measured. */
export const CARD = { width: 204, height: 60 } as const;
export const GAP = { across: 28, along: 72 } as const;
/** So many columns stand beside each other; what comes after goes on below, so that a long chain can be read. */
const COLUMNS = 6;

/** Places for all nodes, from left to right. */
export function layout(
  { nodes, edges = [] }: Pick<GraphDocument, 'nodes' | 'edges'>,
  columns = COLUMNS,
): Map<string, Point> {
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
  return wrapped(
    new Map(
      nodes.map(({ id }) => {
        const { x, y } = graph.node(numbers.get(id)!) as Point;
        return [id, { x: Math.round(x - CARD.width / 2), y: Math.round(y - CARD.height / 2) }];
      }),
    ),
    columns,
  );
}

/** Columns beyond those are put below them, row by row. */
function wrapped(places: Map<string, Point>, most: number): Map<string, Point> {
  const columns = [...new Set([...places.values()].map(({ x }) => x))].toSorted((a, b) => a - b);
  if (columns.length <= most) return places;
  const rowOf = ({ x }: Point) => Math.floor(columns.indexOf(x) / most);
  const rows = Map.groupBy(places, ([, place]) => rowOf(place));
  const moved = new Map<string, Point>();
  let top = 0;
  for (const row of [...rows.keys()].toSorted((a, b) => a - b)) {
    const own = rows.get(row)!;
    const [left, above] = [columns[row * most]!, Math.min(...own.map(([, { y }]) => y))];
    for (const [id, { x, y }] of own) moved.set(id, { x: x - left, y: y - above + top });
    top += Math.max(...own.map(([, { y }]) => y)) - above + CARD.height + 2 * GAP.across;
  }
  return moved;
}

/** So many columns fit beside each other at the smallest zoom. */
export const columnsIn = (width_px: number, zoom: number): number =>
  Math.max(2, Math.floor((width_px / zoom - 2 * GAP.across + GAP.along) / (CARD.width + GAP.along)));

/** Where the document says, or a place beside it where it does not. */
export function placesOf(document: Pick<GraphDocument, 'nodes' | 'edges'>, columns = COLUMNS): Map<string, Point> {
  const placed = document.nodes.filter(({ position }) => position);
  if (placed.length === document.nodes.length) return new Map(placed.map(({ id, position }) => [id, position!]));
  const places = layout(document, columns);
  if (placed.length === 0) return places;
  // What has no place comes below what has one.
  const below = Math.max(...placed.map(({ position }) => position!.y)) + CARD.height + GAP.across;
  for (const [id, { x, y }] of places) places.set(id, { x, y: y + below });
  for (const { id, position } of placed) places.set(id, position!);
  return places;
}
