import { Panel, useReactFlow } from '@xyflow/react';

/** Zoom by buttons, for those without a wheel. */
export function Controls() {
  const flow = useReactFlow();
  return (
    <Panel position="bottom-left" className="graph-controls">
      <button type="button" className="small" aria-label="Zoom in" onClick={() => void flow.zoomIn()}>
        +
      </button>
      <button type="button" className="small" aria-label="Zoom out" onClick={() => void flow.zoomOut()}>
        −
      </button>
      <button type="button" className="small" onClick={() => void flow.fitView({ maxZoom: 1 })}>
        Fit
      </button>
    </Panel>
  );
}
