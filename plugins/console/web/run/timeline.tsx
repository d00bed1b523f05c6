import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useMemo, useRef, useState, type WheelEvent } from 'react';
import type { NodeRecord, RunRecord, StepRecord } from '../../../../cli/generated/api.ts';
import { Empty } from '../kit/basics.tsx';
import { useNow } from '../kit/clock.ts';
import { span, visible } from '../kit/text.ts';
import { Unfold } from './unfold.tsx';
import { marks, moved, placeOf, type Row, rowsOf, type Window, wholeOf, zoomed } from './timeline.ts';

const ROW_PX = 24;

interface Props {
  run: RunRecord;
  steps: readonly (StepRecord | NodeRecord)[];
  /** Shows the step of a row. */
  onChoose(key: string): void;
}

export function Timeline({ run, steps, onChoose }: Props) {
  const tick = useNow();
  const over = run.finished_at !== undefined;
  const now = run.finished_at ? Date.parse(run.finished_at) : tick;
  const all = useMemo(() => rowsOf(steps, now, over), [steps, now, over]);
  const [unfolded, setUnfolded] = useState(false);
  const earlier = all.filter((row) => row.earlier).length;
  const rows = useMemo(() => (unfolded ? all : all.filter((row) => !row.earlier)), [all, unfolded]);
  const whole = useMemo(() => wholeOf(rows, Date.parse(run.created_at), now), [rows, run.created_at, now]);
  const [chosen, setChosen] = useState<Window>();
  const window = chosen ?? whole;
  const zoom = (factor: number, around?: number) => {
    const next = zoomed(window, whole, factor, around);
    setChosen(next.from === whole.from && next.to === whole.to ? undefined : next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === '+') zoom(0.5);
    else if (event.key === '-') zoom(2);
    else if (event.key === 'ArrowLeft') setChosen(moved(window, whole, -0.2));
    else if (event.key === 'ArrowRight') setChosen(moved(window, whole, 0.2));
    else return;
    event.preventDefault();
  };
  if (rows.length === 0) return <Empty>No durable call yet.</Empty>;
  return (
    <fieldset className="timeline" onKeyDown={onKeyDown}>
      <legend className="hidden">Timeline</legend>
      <div className="row">
        <button type="button" className="small" onClick={() => zoom(0.5)}>
          Zoom in
        </button>
        <button type="button" className="small" onClick={() => zoom(2)} disabled={!chosen}>
          Zoom out
        </button>
        <button type="button" className="small" onClick={() => setChosen(undefined)} disabled={!chosen}>
          All
        </button>
        {earlier > 0 && (
          <Unfold open={unfolded} onToggle={() => setUnfolded(!unfolded)}>
            {earlier === 1 ? '1 earlier pass' : `${earlier} earlier passes`}
          </Unfold>
        )}
        <span className="quiet">{span(window.to - window.from)}</span>
      </div>
      <Axis window={window} whole={whole} />
      <Rows rows={rows} window={window} onZoom={zoom} onChoose={onChoose} />
    </fieldset>
  );
}

function Axis({ window, whole }: { window: Window; whole: Window }) {
  const size = window.to - window.from;
  return (
    <div className="axis" aria-hidden>
      <div className="axis-marks">
        {marks(window, whole).map((at) => (
          <span key={at} style={{ left: `${((whole.from + at - window.from) / size) * 100}%` }}>
            {textOf(at)}
          </span>
        ))}
      </div>
    </div>
  );
}

/** `1.2s` where the marks lie closer than seconds. */
const textOf = (at: number): string => (at < 60_000 && at > 1000 && at % 1000 !== 0 ? `${at / 1000}s` : span(at));

interface RowsProps {
  rows: readonly Row[];
  window: Window;
  onZoom(factor: number, around: number): void;
  onChoose(key: string): void;
}

function Rows({ rows, window, onZoom, onChoose }: RowsProps) {
  const pane = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => pane.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  });
  const onWheel = (event: WheelEvent) => {
    if (!event.ctrlKey) return;
    const { left, width } = pane.current!.getBoundingClientRect();
    onZoom(event.deltaY < 0 ? 0.8 : 1.25, (event.clientX - left) / width);
  };
  return (
    <div ref={pane} className="timeline-rows" onWheel={onWheel}>
      <div style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, start }) => (
          <Bar key={rows[index]!.key} row={rows[index]!} window={window} start={start} onChoose={onChoose} />
        ))}
      </div>
    </div>
  );
}

function Bar({
  row,
  window,
  start,
  onChoose,
}: {
  row: Row;
  window: Window;
  start: number;
  onChoose(key: string): void;
}) {
  const place = placeOf(row, window);
  const text = `${row.kind} ${visible(row.label)}, ${span(row.to - row.from)}${row.open ? ' so far' : ''}`;
  return (
    <button
      type="button"
      className="bar-row"
      style={{ transform: `translateY(${start}px)` }}
      title={text}
      aria-label={text}
      onClick={() => onChoose(row.of ?? row.key)}
    >
      <span className="bar-label">
        <span className="quiet">{row.kind}</span> {visible(row.label)}
      </span>
      <span className="bar-space">
        {place && (
          <span
            className={`bar ${row.state}${row.open ? ' open' : ''}`}
            style={{ left: `${place.left * 100}%`, width: `${place.width * 100}%` }}
          />
        )}
      </span>
    </button>
  );
}
