import { type Edge, MarkerType, Position } from '@xyflow/react';
import { visible } from '../../kit/text.ts';
import { edgeKey, edgeWords, type GraphDocument, type GraphEdge, type GraphNode, type Point } from '../document.ts';
import type { CardNode } from './card.tsx';
import { CARD } from './layout.ts';
import { type Mark, markWords } from './marks.ts';
import { fullTypeName, nodeName } from './node-names.ts';

const DOT = { width: 10, height: 10 } as const;
/** Known beforehand, so that edges of cards outside the view need no measuring. */
const HANDLES = [
  { type: 'target' as const, position: Position.Left, x: -DOT.width / 2, y: (CARD.height - DOT.height) / 2, ...DOT },
  {
    type: 'source' as const,
    position: Position.Right,
    x: CARD.width - DOT.width / 2,
    y: (CARD.height - DOT.height) / 2,
    ...DOT,
  },
];

/** `Ask the shop (http), HTTP request, ✕ failed`. */
function nodeWords(node: GraphNode, mark: Mark | undefined): string {
  const name = nodeName(node) === node.id ? node.id : `${nodeName(node)} (${node.id})`;
  return visible(
    [name, fullTypeName(node.type), ...(mark ? [markWords(mark)] : []), ...(mark?.note ? [mark.note] : [])].join(', '),
  );
}

export const cardNode = (node: GraphNode, position: Point, selected: boolean, mark?: Mark): CardNode => ({
  id: node.id,
  type: 'card',
  position,
  selected,
  ...CARD,
  // Cards outside the view are not in the page, and count for the view all the same.
  measured: CARD,
  handles: HANDLES,
  ariaLabel: nodeWords(node, mark),
  data: { node, mark },
});

export function drawnEdge(edge: GraphEdge, id: string, selected: boolean, mark?: Mark): Edge {
  const ofRun = mark !== undefined && (mark.count !== undefined || mark.tone === 'quiet');
  const shown = ofRun ? mark.count : mark && markWords(mark);
  const words = [...(edge.when === undefined ? [] : [String(edge.when)]), ...(shown === undefined ? [] : [shown])];
  return {
    id,
    type: 'way',
    source: edge.from,
    target: edge.to,
    selected,
    ...(words.length > 0 && { label: visible(words.join(ofRun ? ' ' : ' · ')) }),
    ...(mark && { className: `graph-edge tone-${mark.tone}` }),
    ariaLabel: visible([edgeWords(edge), ...(mark ? [markWords(mark)] : [])].join(', ')),
    markerEnd: { type: MarkerType.ArrowClosed, width: 16, height: 16 },
  };
}

/** The edges whose ends are there, each with an id of its own: that of its key, with a number for a double. */
export function edgeIds({ nodes, edges = [] }: Pick<GraphDocument, 'nodes' | 'edges'>): [string, GraphEdge][] {
  const known = new Set(nodes.map(({ id }) => id));
  const seen = new Map<string, number>();
  return edges
    .filter(({ from, to }) => known.has(from) && known.has(to))
    .map((edge) => {
      const key = edgeKey(edge);
      const before = seen.get(key) ?? 0;
      seen.set(key, before + 1);
      return [before === 0 ? key : `${key}${before}`, edge];
    });
}
