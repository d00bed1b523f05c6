import { type FitViewOptions, Panel, useReactFlow, useStore } from '@xyflow/react';
import { Maximize, Minus, Plus } from 'lucide-react';

/** Zoom by buttons, for those without a wheel. */
export function Controls({ fit }: { fit: FitViewOptions }) {
  const flow = useReactFlow();
  const zoom = useStore(({ transform }) => transform[2]);
  return (
    <Panel position="bottom-left" className="graph-float graph-controls">
      <button type="button" className="ghost icon small" aria-label="Zoom out" onClick={() => void flow.zoomOut()}>
        <Minus size={14} aria-hidden />
      </button>
      <span className="num">{Math.round(zoom * 100)}%</span>
      <button type="button" className="ghost icon small" aria-label="Zoom in" onClick={() => void flow.zoomIn()}>
        <Plus size={14} aria-hidden />
      </button>
      <button type="button" className="ghost icon small" aria-label="Fit" onClick={() => void flow.fitView(fit)}>
        <Maximize size={14} aria-hidden />
      </button>
    </Panel>
  );
}
