import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { Ansi, plain } from '../kit/ansi.ts';
import { Empty } from '../kit/basics.tsx';
import { useFixedRows } from '../kit/fixed-rows.ts';
import { count } from '../kit/text.ts';
import { useLog } from './follow-log.ts';
import type { LogLine } from './log-lines.ts';
import { Unfold } from './unfold.tsx';

const ROW_PX = 20;
/** Nearer to the end than this, the view stays at the end. */
const AT_END_PX = 2 * ROW_PX;

export function Log({ path }: { path: string }) {
  const { log, complete, version } = useLog(path);
  const [text, setText] = useState('');
  const [wrap, setWrap] = useState(false);
  const [times, setTimes] = useState(false);
  const [unfolded, setUnfolded] = useState(false);
  const wanted = useDeferredValue(text.toLowerCase());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lines are changed in place, `version` tells so
  const last = useMemo(
    () => (log.hasEarlier ? log.lines.filter((line) => !log.isEarlier(line)) : log.lines),
    [log, version],
  );
  const earlier = log.lines.length - last.length;
  const folded = unfolded ? log.lines : last;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lines are changed in place, `version` tells so
  const shown = useMemo(
    () => (wanted === '' ? folded : log.lines.filter((line) => plain(line.text).toLowerCase().includes(wanted))),
    [log, version, wanted, folded],
  );
  return (
    <>
      <div className="row log-head">
        <input
          type="search"
          aria-label="Search the log"
          placeholder="Search the log"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <label>
          <input type="checkbox" checked={wrap} onChange={() => setWrap(!wrap)} /> Wrap
        </label>
        <label>
          <input type="checkbox" checked={times} onChange={() => setTimes(!times)} /> Times
        </label>
        {earlier > 0 && wanted === '' && (
          <Unfold open={unfolded} onToggle={() => setUnfolded(!unfolded)}>
            {`${lineCount(earlier)} of earlier passes`}
          </Unfold>
        )}
        <span className="quiet" role="status">
          {wanted ? `${count(shown.length)} of ` : ''}
          {lineCount(log.lines.length + log.dropped)}
          {complete ? '' : ', following'}
        </span>
      </div>
      {log.lines.length === 0 ? (
        <Empty>{complete ? 'Nothing was printed.' : 'Nothing is printed yet.'}</Empty>
      ) : (
        <Lines lines={shown} version={version} wrap={wrap} times={times} />
      )}
    </>
  );
}

const lineCount = (n: number): string => (n === 1 ? '1 line' : `${count(n)} lines`);

interface LinesProps {
  lines: readonly LogLine[];
  version: number;
  wrap: boolean;
  times: boolean;
}

export function Lines(props: LinesProps) {
  // Their heights are known only when lines are wrapped.
  return props.wrap ? <WrappedLines {...props} /> : <PlainLines {...props} />;
}

function PlainLines({ lines, version, times }: LinesProps) {
  const pane = useRef<HTMLDivElement>(null);
  const { total_px, first, end, onScroll } = useFixedRows(pane, lines.length, ROW_PX);
  const toEnd = () => {
    pane.current!.scrollTop = pane.current!.scrollHeight;
  };
  const looks = useLooks(lines, version);
  return (
    <Pane pane={pane} total_px={total_px} toEnd={toEnd} onScroll={onScroll} version={version} count={lines.length}>
      {Array.from({ length: end - first }, (_, at) => first + at).map((index) => (
        <Line key={index} line={lines[index]!} pieces={looks(index)} times={times} top={index * ROW_PX} />
      ))}
    </Pane>
  );
}

function WrappedLines({ lines, version, times }: LinesProps) {
  const pane = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => pane.current,
    estimateSize: () => ROW_PX,
    overscan: 20,
  });
  const toEnd = () => rows.scrollToIndex(lines.length - 1, { align: 'end' });
  const looks = useLooks(lines, version);
  return (
    <Pane pane={pane} total_px={rows.getTotalSize()} toEnd={toEnd} wraps version={version} count={lines.length}>
      {rows.getVirtualItems().map(({ index, key, start }) => (
        <Line
          key={key}
          measure={rows.measureElement}
          index={index}
          line={lines[index]!}
          pieces={looks(index)}
          times={times}
          top={start}
        />
      ))}
    </Pane>
  );
}

interface PaneProps {
  pane: RefObject<HTMLDivElement | null>;
  total_px: number;
  version: number;
  count: number;
  wraps?: boolean;
  toEnd(): void;
  onScroll?(): void;
  children: ReactNode;
}

/** Stays at the end while it is there. */
function Pane({ pane, total_px, version, count: n, wraps = false, toEnd, onScroll, children }: PaneProps) {
  const [follows, setFollows] = useState(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines move the end
  useEffect(() => {
    if (follows && n > 0) toEnd();
  }, [version, n, follows]);
  const look = () => {
    const { scrollHeight, scrollTop, clientHeight } = pane.current!;
    setFollows(scrollHeight - scrollTop - clientHeight < AT_END_PX);
    onScroll?.();
  };
  return (
    <div className="log-frame">
      <div
        ref={pane}
        className={wraps ? 'log wraps' : 'log'}
        onScroll={look}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keys
        tabIndex={0}
        role="log"
        aria-label="Log"
        aria-live="off"
      >
        <div className="log-all" style={{ height: total_px }}>
          {children}
        </div>
      </div>
      {!follows && (
        <button type="button" className="to-end" onClick={() => setFollows(true)}>
          To the end
        </button>
      )}
    </div>
  );
}

interface LineProps {
  line: LogLine;
  pieces: ReturnType<Ansi['line']>;
  times: boolean;
  top: number;
  /** Of lines that are measured. */
  index?: number;
  measure?: (element: HTMLElement | null) => void;
}

const Line = ({ line, pieces, times, top, index, measure }: LineProps) => (
  <div ref={measure} data-index={index} className={`line ${line.stream}`} style={{ transform: `translateY(${top}px)` }}>
    {times && <span className="quiet at">{line.at.slice(11, 23)} </span>}
    {line.activity && <span className="quiet">{plain(line.activity)} | </span>}
    {pieces.map(({ text, look }, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line do not move
      <span key={at} className={look}>
        {text}
      </span>
    ))}
  </div>
);

/** Colours of one line. A colour that begins in an earlier line of the same piece of a screen goes on. */
function useLooks(lines: readonly LogLine[], version: number) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a line that was read may have grown
  return useMemo(() => {
    const known = new Map<LogLine, ReturnType<Ansi['line']>>();
    return (index: number) => {
      const line = lines[index]!;
      const found = known.get(line) ?? new Ansi().line(line.text);
      known.set(line, found);
      return found;
    };
  }, [lines, version]);
}
