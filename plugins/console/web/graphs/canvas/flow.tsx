import { type Edge, ReactFlow, type ReactFlowProps } from '@xyflow/react';
import { type CardNode, NODE_TYPES } from './card.tsx';
import { Controls } from './controls.tsx';
import { FLOW_LABELS } from './words.ts';

/** A graph to look at or to draw: what all canvases have in common. */
export const Flow = (props: ReactFlowProps<CardNode, Edge>) => (
  <ReactFlow
    nodeTypes={NODE_TYPES}
    ariaLabelConfig={FLOW_LABELS}
    // Its own keys would change the drawing beside the document.
    deleteKeyCode={null}
    onlyRenderVisibleElements
    fitView
    fitViewOptions={{ maxZoom: 1 }}
    minZoom={0.1}
    {...props}
  >
    <Controls />
  </ReactFlow>
);
