import { Background, BackgroundVariant, type Edge, ReactFlow, type ReactFlowProps } from '@xyflow/react';
import { type CardNode, NODE_TYPES } from './card.tsx';
import { Controls } from './controls.tsx';
import { EDGE_TYPES } from './edge.tsx';
import { FIT } from './fit.ts';
import { GraphMap } from './map.tsx';
import { FLOW_LABELS } from './words.ts';

/** Smaller graphs are in view as a whole. */
const MAPPED = 12;

/** A graph to look at or to draw: what all canvases have in common. */
export const Flow = (props: ReactFlowProps<CardNode, Edge>) => (
  <ReactFlow
    nodeTypes={NODE_TYPES}
    edgeTypes={EDGE_TYPES}
    ariaLabelConfig={FLOW_LABELS}
    // Its own keys would change the drawing beside the document.
    deleteKeyCode={null}
    onlyRenderVisibleElements
    fitView
    fitViewOptions={FIT}
    // Near the border it would pan away what one wants to reach.
    autoPanOnConnect={false}
    connectionRadius={28}
    minZoom={0.1}
    {...props}
  >
    <Background variant={BackgroundVariant.Dots} gap={20} size={1.2} />
    <Controls fit={props.fitViewOptions ?? FIT} />
    {props.nodes && props.nodes.length >= MAPPED && <GraphMap nodes={props.nodes} />}
  </ReactFlow>
);
