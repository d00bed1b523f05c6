import { ChevronRight, FoldHorizontal, History, ZoomIn, ZoomOut } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState, type WheelEvent } from 'react';
import type { RunRecord } from '../../../../../cli/generated/api.ts';
import { Empty, StatusIcon } from '../kit/basics.tsx';
import { useNow } from '../kit/clock.ts';
import { useFixedRows } from '../kit/fixed-rows.ts';
import { isField } from '../kit/is-field.ts';
import { usePhone } from '../kit/phone.ts';
import { span, visible } from '../kit/text.ts';
import {
  brushed,
  inView,
  marks,
  moved,
  placeOf,
  type Scale,
  scaleOf,
  shareOf,
  type View,
  WHOLE,
  zoomed,
} from './scale.ts';
import { type Entry, entriesOf, passesOf, reusedOf } from './spans.ts';
import type { AnyStep } from './steps.ts';
import './timeline.css';
import { IconButton } from '../kit/icon-button.tsx';

const ROW_PX = 32;
/** More rows below a step are folded until somebody asks. */
const FEW = 8;

interface Props {
  run: RunRecord;
  steps: readonly AnyStep[];
  /** Key of the step that is looked at. */
  chosen: string | undefined;
  onChoose(key: string): void;
}

/** The steps of a run, each with its place in time. */
export function Timeline({ run, steps, chosen, onChoose }: Props) {
  const tick = useNow();
  const over = run.finished_at !== undefined;
  const now = run.finished_at ? Date.parse(run.finished_at) : tick;
  const created = Date.parse(run.created_at);
  const entries = useMemo(() => entriesOf(steps, { now, created, over }), [steps, now, created, over]);
  const passes = useMemo(() => passesOf(steps), [steps]);
  const [showsPasses, setShowsPasses] = useState(false);
  const [folds, setFolds] = useState(true);
  const [view, setView] = useState<View>(WHOLE);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const scale = useMemo(() => scaleOf(entries, created, now, folds), [entries, created, now, folds]);
  const unfolds = useMemo(
    () => scaleOf(entries, created, now).pieces.some(({ folded }) => folded),
    [entries, created, now],
  );
  const lines = useMemo(
    () => [...(showsPasses ? passes.map((entry) => lineOf(entry, 0)) : []), ...linesOf(entries, toggled)],
    [showsPasses, passes, entries, toggled],
  );
  const whole = view.start === 0 && view.end === 1;
  const onKeyDown = (event: KeyboardEvent) => {
    if (isField(event.target) || event.ctrlKey || event.metaKey) return;
    if (event.key === '+') setView(zoomed(view, 0.5));
    else if (event.key === '-') setView(zoomed(view, 2));
    else if (event.key === 'ArrowLeft' && !whole) setView(moved(view, -0.2));
    else if (event.key === 'ArrowRight' && !whole) setView(moved(view, 0.2));
    else return;
    event.preventDefault();
  };
  const toggle = (key: string) => {
    const next = new Set(toggled);
    if (!next.delete(key)) next.add(key);
    setToggled(next);
  };
  useStepKeys(lines, chosen, onChoose);
  if (lines.length === 0) return <Empty title="No steps yet">Steps appear as the workflow calls them.</Empty>;
  return (
    <fieldset className="tl" onKeyDown={onKeyDown}>
      <legend className="hidden">Timeline</legend>
      <div className="tl-tools">
        {unfolds && (
          <button type="button" className="ghost small" aria-pressed={folds} onClick={() => setFolds(!folds)}>
            <FoldHorizontal size={14} aria-hidden /> Collapse gaps <span className="quiet">{folds ? 'on' : 'off'}</span>
          </button>
        )}
        {passes.length > 0 && (
          <button
            type="button"
            className="ghost small"
            aria-pressed={showsPasses}
            onClick={() => setShowsPasses(!showsPasses)}
          >
            <History size={14} aria-hidden /> {passes.length} passes
          </button>
        )}
        <span className="row push">
          <IconButton
            label="Zoom out"
            icon={ZoomOut}
            size={16}
            disabled={whole}
            onClick={() => setView(zoomed(view, 2))}
          />
          <IconButton label="Zoom in" icon={ZoomIn} size={16} onClick={() => setView(zoomed(view, 0.5))} />
          <button type="button" className="ghost small" disabled={whole} onClick={() => setView(WHOLE)}>
            Fit
          </button>
        </span>
      </div>
      <Brush entries={entries} scale={scale} view={view} onChange={setView} />
      <Axis scale={scale} view={view} open={!over} />
      <Lines
        {...{ lines, scale, view, chosen, onChoose, toggle }}
        onZoom={(factor, around) => setView(zoomed(view, factor, around))}
      />
    </fieldset>
  );
}

/** One line of the list. */
interface Line {
  entry: Entry;
  depth: 0 | 1;
  /** Absent: there is nothing below it. */
  open?: boolean;
}

const lineOf = (entry: Entry, depth: 0 | 1): Line => ({ entry, depth });

const REUSED = 'reused';

function linesOf(entries: readonly Entry[], toggled: ReadonlySet<string>): Line[] {
  const { reused, own } = reusedOf(entries);
  const lines: Line[] = [];
  const put = (entry: Entry, opens: boolean) => {
    const open = opens !== toggled.has(entry.key);
    lines.push(entry.children.length === 0 ? lineOf(entry, 0) : { entry, depth: 0, open });
    if (open) lines.push(...entry.children.map((child) => lineOf(child, 1)));
  };
  if (reused.length > 0) {
    const { from, to } = reused[0]!;
    const label = reused.length === 1 ? '1 step reused' : `${reused.length} steps reused`;
    put(
      {
        key: REUSED,
        label,
        kind: 'group',
        state: 'reused',
        bars: reused[0]!.bars,
        from,
        to,
        open: false,
        children: reused,
      },
      false,
    );
  }
  for (const entry of own) put(entry, entry.children.length <= FEW);
  return lines;
}

/** Steps are chosen by `j` and `k` wherever the page has the focus. */
function useStepKeys(lines: readonly Line[], chosen: string | undefined, onChoose: (key: string) => void): void {
  const latest = useRef({ lines, chosen, onChoose });
  latest.current = { lines, chosen, onChoose };
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      const step = { j: 1, k: -1 }[event.key];
      if (step === undefined || event.ctrlKey || event.metaKey || event.defaultPrevented || isField(event.target))
        return;
      if (document.querySelector('[role=dialog]')) return;
      const steps = latest.current.lines.filter(
        ({ depth, entry }) => depth === 0 && entry.kind !== 'pass' && entry.key !== REUSED,
      );
      const at = steps.findIndex(({ entry }) => entry.key === latest.current.chosen);
      const next = steps[Math.max(0, Math.min(steps.length - 1, at + step))];
      if (next) latest.current.onChoose(next.entry.key);
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

interface BrushProps {
  entries: readonly Entry[];
  scale: Scale;
  view: View;
  onChange(view: View): void;
}

/** The whole run, small: what is dragged over is shown large. */
function Brush({ entries, scale, view, onChange }: BrushProps) {
  const plot = useRef<SVGSVGElement>(null);
  const begun = useRef<number>(undefined);
  const shareAt = ({ clientX }: PointerEvent): number => {
    const { left, width } = plot.current!.getBoundingClientRect();
    return Math.max(0, Math.min(1, (clientX - left) / width));
  };
  const onPointerDown = (event: PointerEvent) => {
    begun.current = shareAt(event);
    plot.current!.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent) => {
    if (begun.current !== undefined) onChange(brushed(begun.current, shareAt(event)));
  };
  const onPointerUp = () => {
    begun.current = undefined;
  };
  return (
    <div className="tl-brush">
      <span className="quiet small-text">Drag to zoom</span>
      <svg
        ref={plot}
        height="24"
        aria-hidden="true"
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
      >
        <rect className="tl-catch" width="100%" height="24" />
        <rect className="ground" y="11" width="100%" height="2" />
        {entries.slice(0, 500).flatMap(({ key, bars }) =>
          bars.map((bar, index) => {
            const place = placeOf(bar, scale, WHOLE);
            return (
              place && (
                <rect
                  // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a row are only added
                  key={`${key} ${index}`}
                  className={`fill ${bar.state}`}
                  x={`${place.left}%`}
                  y="8"
                  width={`${place.width}%`}
                  height="8"
                />
              )
            );
          }),
        )}
        <rect className="tl-view" x={`${view.start * 100}%`} width={`${(view.end - view.start) * 100}%`} height="24" />
      </svg>
    </div>
  );
}

function Axis({ scale, view, open }: { scale: Scale; view: View; open: boolean }) {
  // A phone has room for the first time and another one beside “now”.
  const phone = usePhone();
  return (
    <div className="tl-axis" aria-hidden>
      <span />
      <svg height="28" aria-hidden="true">
        {marks(scale, view, phone ? 3 : undefined).map(({ left, at_ms, gap_ms }) => (
          <text
            key={`${at_ms} ${gap_ms}`}
            x={`${left}%`}
            y="18"
            textAnchor={left < 12 ? 'start' : left > 88 ? 'end' : 'middle'}
          >
            {gap_ms === undefined ? (at_ms === 0 ? '0' : span(at_ms)) : `⋯ ${span(gap_ms)}`}
          </text>
        ))}
        {open && view.end === 1 && !scale.pieces.at(-1)!.folded && (
          <text x="100%" y="18" textAnchor="end">
            now
          </text>
        )}
      </svg>
    </div>
  );
}

interface LinesProps {
  lines: readonly Line[];
  scale: Scale;
  view: View;
  chosen: string | undefined;
  onChoose(key: string): void;
  toggle(key: string): void;
  onZoom(factor: number, around: number): void;
}

function Lines({ lines, scale, view, chosen, onChoose, toggle, onZoom }: LinesProps) {
  const pane = useRef<HTMLDivElement>(null);
  const { total_px, first, end, onScroll } = useFixedRows(pane, lines.length, ROW_PX);
  const onWheel = (event: WheelEvent) => {
    if (!event.ctrlKey) return;
    const { left, width } = pane.current!.getBoundingClientRect();
    onZoom(event.deltaY < 0 ? 0.8 : 1.25, (event.clientX - left) / width);
  };
  return (
    <div ref={pane} className="tl-rows" onScroll={onScroll} onWheel={onWheel}>
      <svg className="tl-all" height={total_px} aria-hidden="true" />
      {lines.slice(first, end).map((line, index) => (
        <RowLine
          key={line.entry.key}
          line={line}
          top={(first + index) * ROW_PX}
          {...{ scale, view, toggle, onChoose }}
          chosen={chosen === (line.entry.of ?? line.entry.key) && line.depth === 0 ? true : chosen === line.entry.key}
        />
      ))}
    </div>
  );
}

interface RowProps {
  line: Line;
  top: number;
  scale: Scale;
  view: View;
  chosen: boolean;
  onChoose(key: string): void;
  toggle(key: string): void;
}

function RowLine({ line: { entry, depth, open }, top, scale, view, chosen, onChoose, toggle }: RowProps) {
  const { key, label, kind, state, from, to, of } = entry;
  const lasts = state === 'reused' ? 'reused' : `${span(to - from)}${entry.open ? ' so far' : ''}`;
  const group = key === REUSED;
  return (
    <div
      className={`tl-row ${depth === 1 ? 'sub' : ''} ${group ? 'group' : ''} ${chosen ? 'on' : ''}`}
      style={{ transform: `translateY(${top}px)` }}
    >
      {open === undefined ? (
        <span className="tl-turn" />
      ) : (
        <button
          type="button"
          className="bare tl-turn"
          aria-expanded={open}
          aria-label={`${open ? 'Collapse' : 'Expand'} ${visible(label)}`}
          onClick={() => toggle(key)}
        >
          <ChevronRight size={14} aria-hidden />
        </button>
      )}
      <button
        type="button"
        className="bare tl-main"
        aria-pressed={chosen}
        title={`${kind} ${visible(label)}, ${lasts}`}
        onClick={() => (group ? toggle(key) : onChoose(of ?? key))}
      >
        <span className="lab">
          <StatusIcon of={state} silent />
          <span className="hidden">{kind}</span>
          <span className="nm clip">{visible(label)}</span>
          <span className="du num">{state === 'reused' ? (group ? '0 ms' : 'reused') : span(to - from)}</span>
          {entry.open && <span className="hidden">so far</span>}
        </span>
        <Bars entry={entry} scale={scale} view={view} />
      </button>
    </div>
  );
}

function Bars({ entry: { bars, state, open }, scale, view }: { entry: Entry; scale: Scale; view: View }) {
  const gaps = scale.pieces.filter(({ folded }) => folded);
  return (
    <svg className="tl-bars" height={ROW_PX} aria-hidden="true">
      {gaps.map(({ from, to }) => {
        const place = placeOf({ from, to }, scale, view);
        return (
          place && <rect key={from} className="tl-gap" x={`${place.left}%`} width={`${place.width}%`} height={ROW_PX} />
        );
      })}
      {bars.slice(1).map((bar, index) => {
        const before = bars[index]!;
        const [a, b] = [inView(shareOf(scale, before.to), view), inView(shareOf(scale, bar.from), view)];
        if (before.state !== 'retried' || b < 0 || a > 1) return null;
        return (
          <line
            key={bar.from}
            className="tl-pause"
            x1={`${Math.max(0, a) * 100}%`}
            x2={`${Math.min(1, b) * 100}%`}
            y1="16"
            y2="16"
          />
        );
      })}
      {bars.map((bar, index) => {
        const place = placeOf(bar, scale, view);
        if (!place) return null;
        const high = bar.thin && !(open && state === 'waiting') ? 4 : 12;
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a row are only added
            key={index}
            className={`fill ${bar.state}`}
            x={`${place.left}%`}
            y={(ROW_PX - high) / 2}
            width={`${place.width}%`}
            height={high}
            rx={Math.min(3, high / 2)}
          />
        );
      })}
    </svg>
  );
}
