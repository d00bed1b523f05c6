import { Panel, useReactFlow, useStore } from '@xyflow/react';
import { type PointerEvent, useMemo } from 'react';
import type { CardNode } from './card.tsx';
import { CARD } from './layout.ts';

/** Around everything, in the measure of the graph. */
const MARGIN = 60;

/**
 * Where the view stands in a large graph. All cards are one path: the map of the library has a component for each, and all
 * of them look at every move of a drag.
 */
export function GraphMap({ nodes }: { nodes: readonly CardNode[] }) {
  const flow = useReactFlow();
  const [tx, ty, zoom] = useStore(({ transform }) => transform);
  const width = useStore((state) => state.width) / zoom;
  const height = useStore((state) => state.height) / zoom;
  const [x, y] = [-tx / zoom, -ty / zoom];
  const cards = useMemo(() => drawn(nodes), [nodes]);
  const left = Math.min(cards.left, x) - MARGIN;
  const top = Math.min(cards.top, y) - MARGIN;
  const right = Math.max(cards.right, x + width) + MARGIN;
  const bottom = Math.max(cards.bottom, y + height) + MARGIN;
  const go = (event: PointerEvent<SVGSVGElement>) => {
    if (event.buttons !== 1) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const matrix = event.currentTarget.getScreenCTM();
    if (!matrix) return;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    void flow.setCenter(at.x, at.y, { zoom });
  };
  return (
    <Panel position="bottom-right" className="graph-map">
      <svg
        viewBox={`${left} ${top} ${right - left} ${bottom - top}`}
        role="img"
        aria-label="Map of the graph"
        onPointerDown={go}
        onPointerMove={go}
      >
        <path className="cards" d={cards.path} />
        <path
          className="beyond"
          fillRule="evenodd"
          d={`M${left - width} ${top - height}H${right + width}V${bottom + height}H${left - width}zM${x} ${y}h${width}v${height}h${-width}z`}
        />
      </svg>
    </Panel>
  );
}

function drawn(nodes: readonly CardNode[]) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  let path = '';
  for (const { position } of nodes) {
    left = Math.min(left, position.x);
    top = Math.min(top, position.y);
    right = Math.max(right, position.x + CARD.width);
    bottom = Math.max(bottom, position.y + CARD.height);
    path += `M${position.x} ${position.y}h${CARD.width}v${CARD.height}h${-CARD.width}z`;
  }
  return { left, top, right, bottom, path };
}
