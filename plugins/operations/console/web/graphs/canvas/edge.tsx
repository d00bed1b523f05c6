import { BaseEdge, type Edge, type EdgeProps, getBezierPath, getSmoothStepPath } from '@xyflow/react';
import { createContext, memo, useContext } from 'react';
import { visible } from '../../kit/text.ts';
import { CARD, GAP } from './layout.ts';

/** Puts a node into an edge, by the id that the edge has on the canvas; absent where a graph is only looked at. */
export const AddBetween = createContext<((id: string) => void) | undefined>(undefined);

/** So far below a label the button stands. */
const BELOW_LABEL = 22;

/** A curve; to a card of a row below, a line through the gap between the rows, because a curve would cross the cards. */
function edgePathOf(props: EdgeProps<Edge>) {
  const { sourceX, sourceY, targetX, targetY } = props;
  const below = targetX < sourceX && targetY > sourceY + CARD.height;
  if (!below) return getBezierPath(props);
  return getSmoothStepPath({ ...props, borderRadius: 12, centerY: sourceY + CARD.height / 2 + GAP.across });
}

/** An edge with its words, and a button in its middle that puts a node into it. */
const CanvasEdge = memo(function CanvasEdge(props: EdgeProps<Edge>) {
  const { id, source, target, label, markerEnd, style } = props;
  const addBetween = useContext(AddBetween);
  const [path, x, y] = edgePathOf(props);
  return (
    <>
      <BaseEdge
        id={id}
        path={path}
        {...(label !== undefined && { label, labelX: x, labelY: y })}
        {...(markerEnd !== undefined && { markerEnd })}
        {...(style && { style })}
        labelBgPadding={[7, 3]}
        labelBgBorderRadius={9}
      />
      {addBetween && (
        // biome-ignore lint/a11y/useSemanticElements: a drawing has no button
        <g
          className="edge-plus"
          role="button"
          tabIndex={-1}
          aria-label={`Add a step between ${visible(source)} and ${visible(target)}`}
          transform={`translate(${x} ${label === undefined ? y : y + BELOW_LABEL})`}
          onClick={(event) => {
            event.stopPropagation();
            addBetween(id);
          }}
        >
          <circle r="14" className="edge-target" />
          <circle r="10" />
          <path d="M-4 0H4M0 -4V4" />
        </g>
      )}
    </>
  );
});

/** Must be one object over all drawings. */
export const EDGE_TYPES = { way: CanvasEdge };
