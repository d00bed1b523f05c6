import { type FitViewOptions, Panel, useReactFlow, useStore } from '@xyflow/react';
import { Maximize, Minus, Plus } from 'lucide-react';
import { IconButton } from '../../kit/icon-button.tsx';

/** Zoom by buttons, for those without a wheel. */
export function Controls({ fit }: { fit: FitViewOptions }) {
  const flow = useReactFlow();
  const zoom = useStore(({ transform }) => transform[2]);
  return (
    <Panel position="bottom-left" className="graph-float graph-controls">
      <IconButton label="Zoom out" icon={Minus} onClick={() => void flow.zoomOut()} />
      <span className="num">{Math.round(zoom * 100)}%</span>
      <IconButton label="Zoom in" icon={Plus} onClick={() => void flow.zoomIn()} />
      <IconButton label="Fit" icon={Maximize} onClick={() => void flow.fitView(fit)} />
    </Panel>
  );
}
