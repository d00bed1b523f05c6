import { type NodeChange, ReactFlowProvider } from '@xyflow/react';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { edgeKey, type GraphDocument } from '../document.ts';
import './canvas.css';
import type { CardNode } from './card.tsx';
import { cardNode, drawnEdge, edgeIds } from './elements.ts';
import { Flow } from './flow.tsx';
import { FIT } from './fit.ts';
import { columnsIn, placesOf } from './layout.ts';
import type { Mark } from './marks.ts';

export type { Mark, Tone } from './marks.ts';

interface Props {
  document: GraphDocument;
  /** By the ids of nodes. */
  marks?: ReadonlyMap<string, Mark>;
  /** By `edgeKey`. */
  edgeMarks?: ReadonlyMap<string, Mark>;
  /** Id of a node. */
  selected?: string | undefined;
  onSelect?(id: string | undefined): void;
  /** What it shows, for those who do not see it. */
  label?: string;
}

const NONE: ReadonlyMap<string, Mark> = new Map();

/** A graph to look at: pan, zoom, choose a node. */
export function GraphCanvas({ document, marks = NONE, edgeMarks = NONE, selected, onSelect, label = 'Graph' }: Props) {
  const frame = useRef<HTMLElement>(null);
  const [width, setWidth] = useState<number>();
  // How wide it is says how many cards stand beside each other: a graph is wrapped rather than made too small to read.
  useLayoutEffect(() => setWidth(frame.current!.clientWidth), []);
  const columns = columnsIn(width ?? 0, FIT.minZoom);
  const places = useMemo(() => placesOf(document, columns), [document, columns]);
  const nodes = useMemo(
    () => document.nodes.map((node) => cardNode(node, places.get(node.id)!, node.id === selected, marks.get(node.id))),
    [document, places, marks, selected],
  );
  const edges = useMemo(
    () => edgeIds(document).map(([id, edge]) => drawnEdge(edge, id, false, edgeMarks.get(edgeKey(edge)))),
    [document, edgeMarks],
  );
  const onNodesChange = (changes: NodeChange<CardNode>[]) => {
    const chosen = changes.filter((change) => change.type === 'select');
    const now = chosen.find((change) => change.selected);
    if (now) onSelect?.(now.id);
    else if (chosen.some(({ id }) => id === selected)) onSelect?.(undefined);
  };
  return (
    <section ref={frame} className="graph-canvas" aria-label={label}>
      <ReactFlowProvider>
        {width !== undefined && (
          <Flow
            nodes={nodes}
            edges={edges}
            onNodesChange={onNodesChange}
            nodesDraggable={false}
            nodesConnectable={false}
            edgesFocusable={false}
            elementsSelectable={onSelect !== undefined}
            multiSelectionKeyCode={null}
            selectionKeyCode={null}
          />
        )}
      </ReactFlowProvider>
    </section>
  );
}
