import { useVirtualizer } from '@tanstack/react-virtual';
import { Download, Maximize2, Minimize2, Search } from 'lucide-react';
import { useRouter } from '@tanstack/react-router';
import {
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Ansi, plain } from '../kit/ansi.ts';
import { Empty } from '../kit/basics.tsx';
import { useFixedRows } from '../kit/fixed-rows.ts';
import { count } from '../kit/text.ts';
import { saveFile } from '../kit/save-file.ts';
import { Tip } from '../kit/tip.tsx';
import type { FollowedLog } from './follow-log.ts';
import type { LogLine, LogLines } from './log-lines.ts';
import { Unfold } from './unfold.tsx';
import '../kit/look/log.css';
import { IconButton } from '../kit/icon-button.tsx';

const ROW_PX = 20;
/** Nearer to the end than this, the view stays at the end. */
const AT_END_PX = 2 * ROW_PX;

interface LogProps {
  log: FollowedLog;
  /** Of the file that has everything. */
  name: string;
  /** A line that a link leads to, from 1. */
  at?: number | undefined;
}

export function Log({ log: { log, complete, version }, name, at }: LogProps) {
  const [text, setText] = useState('');
  const [wrap, setWrap] = useState(false);
  const [times, setTimes] = useState(false);
  const [full, setFull] = useState(false);
  const [unfolded, setUnfolded] = useState(at !== undefined);
  const wanted = useDeferredValue(text.toLowerCase());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lines are changed in place, `version` tells so
  const last = useMemo(
    () => (log.hasEarlier ? numbered(log, (line) => !log.isEarlier(line)) : undefined),
    [log, version],
  );
  const earlier = last ? log.lines.length - last.lines.length : 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lines are changed in place, `version` tells so
  const found = useMemo(
    () => (wanted === '' ? undefined : numbered(log, ({ text }) => plain(text).toLowerCase().includes(wanted))),
    [log, version, wanted],
  );
  const some = found ?? (unfolded ? undefined : last);
  const shown = some?.lines ?? log.lines;
  const save = () => saveFile(`${name}.log`, log.lines.map((line) => plain(line.text)).join('\n'));
  return (
    <div className={full ? 'log-full' : 'log-whole'}>
      <div className="log-head">
        <div className="find">
          <Search size={14} aria-hidden />
          <input
            type="search"
            aria-label="Search the log"
            placeholder="Search the log"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </div>
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
        <Tip text="Download">
          <IconButton label="Download the log" icon={Download} size={16} onClick={save} />
        </Tip>
        <Tip text={full ? 'Exit full screen' : 'Full screen'}>
          <IconButton
            label="Full screen"
            icon={full ? Minimize2 : Maximize2}
            size={16}
            aria-pressed={full}
            onClick={() => setFull(!full)}
          />
        </Tip>
      </div>
      {log.lines.length === 0 ? (
        <Empty>{complete ? 'Nothing was printed.' : 'Nothing has been printed yet.'}</Empty>
      ) : (
        <Lines
          lines={shown}
          version={version}
          wrap={wrap}
          times={times}
          first={log.dropped + 1}
          numbers={some?.numbers}
          linked
          at={at}
        />
      )}
    </div>
  );
}

/** Some lines of a log, each with the number that it has among all. */
function numbered({ lines, dropped }: LogLines, fits: (line: LogLine) => boolean) {
  const some: { lines: LogLine[]; numbers: number[] } = { lines: [], numbers: [] };
  lines.forEach((line, index) => {
    if (!fits(line)) return;
    some.lines.push(line);
    some.numbers.push(index + dropped + 1);
  });
  return some;
}

const lineCount = (n: number): string => (n === 1 ? '1 line' : `${count(n)} lines`);

interface LinesProps {
  lines: readonly LogLine[];
  version: number;
  wrap: boolean;
  times: boolean;
  /** The number of the first one, where lines have their numbers. */
  first?: number;
  /** The number of each, where they do not follow each other. */
  numbers?: readonly number[] | undefined;
  /** The numbers are links. */
  linked?: boolean;
  /** The number of the line that a link has led to. */
  at?: number | undefined;
  /** They are a part of a log: the view begins at their beginning. */
  still?: boolean;
  /** Who wrote a line stands before it, where several write. */
  writer?: boolean;
}

export function Lines(props: LinesProps) {
  // Their heights are known only when lines are wrapped.
  return props.wrap ? <WrappedLines {...props} /> : <PlainLines {...props} />;
}

function PlainLines({
  lines,
  version,
  times,
  first: number,
  numbers,
  linked = false,
  at,
  still = false,
  writer = true,
}: LinesProps) {
  const pane = useRef<HTMLDivElement>(null);
  const { total_px, first, end, onScroll } = useFixedRows(pane, lines.length, ROW_PX);
  const toEnd = () => {
    pane.current!.scrollTop = pane.current!.scrollHeight;
  };
  const looks = useLooks(lines, version);
  const target = at === undefined || number === undefined ? undefined : (numbers?.indexOf(at) ?? at - number);
  const there = target !== undefined && target >= 0 && target < lines.length;
  useEffect(() => {
    if (there) pane.current!.scrollTop = Math.max(0, target! - 5) * ROW_PX;
  }, [there, target]);
  return (
    <Pane
      pane={pane}
      total_px={total_px}
      toEnd={toEnd}
      onScroll={onScroll}
      version={version}
      count={lines.length}
      still={still || there}
    >
      {Array.from({ length: end - first }, (_, at) => first + at).map((index) => (
        <Line
          key={index}
          line={lines[index]!}
          pieces={looks(index)}
          times={times}
          top={index * ROW_PX}
          number={number === undefined ? undefined : (numbers?.[index] ?? number + index)}
          linked={linked}
          writer={writer}
          marked={index === target}
        />
      ))}
    </Pane>
  );
}

function WrappedLines({
  lines,
  version,
  times,
  first: number,
  numbers,
  linked = false,
  still = false,
  writer = true,
}: LinesProps) {
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
    <Pane
      pane={pane}
      total_px={rows.getTotalSize()}
      toEnd={toEnd}
      wraps
      still={still}
      version={version}
      count={lines.length}
    >
      {rows.getVirtualItems().map(({ index, key, start }) => (
        <Line
          key={key}
          measure={rows.measureElement}
          index={index}
          line={lines[index]!}
          pieces={looks(index)}
          times={times}
          top={start}
          number={number === undefined ? undefined : (numbers?.[index] ?? number + index)}
          linked={linked}
          writer={writer}
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
  /** It does not follow the end. */
  still?: boolean;
  toEnd(): void;
  onScroll?(): void;
  children: ReactNode;
}

/** Stays at the end while it is there. */
function Pane({
  pane,
  total_px,
  version,
  count: n,
  wraps = false,
  still = false,
  toEnd,
  onScroll,
  children,
}: PaneProps) {
  const router = useRouter();
  const [follows, setFollows] = useState(!still);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines move the end
  useEffect(() => {
    if (follows && n > 0) toEnd();
  }, [version, n, follows]);
  const look = () => {
    const { scrollHeight, scrollTop, clientHeight } = pane.current!;
    setFollows(scrollHeight - scrollTop - clientHeight < AT_END_PX);
    onScroll?.();
  };
  /** The numbers of lines are links within the page. */
  const follow = (event: MouseEvent) => {
    const link = (event.target as Element).closest('a');
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    router.history.replace(location.pathname + link.search);
  };
  return (
    <div className="log-frame">
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: links inside handle keys */}
      <div
        ref={pane}
        className={wraps ? 'log wraps' : 'log'}
        onScroll={look}
        onClick={follow}
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
      {!follows && !still && (
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
  number: number | undefined;
  linked: boolean;
  writer: boolean;
  marked?: boolean;
  /** Of lines that are measured. */
  index?: number;
  measure?: (element: HTMLElement | null) => void;
}

function Line({ line, pieces, times, top, number, linked, writer, marked = false, index, measure }: LineProps) {
  return (
    <div
      ref={measure}
      data-index={index}
      className={`line ${line.stream} ${marked ? 'at' : ''}`}
      style={{ transform: `translateY(${top}px)` }}
    >
      {number !== undefined &&
        (linked ? (
          // A log is one stop of the keyboard; the number is for the pointer.
          <a href={`?tab=log&line=${number}`} tabIndex={-1} aria-label={`Line ${number}`}>
            {number}
          </a>
        ) : (
          <span className="number">{number}</span>
        ))}
      <span className="text">
        {times && <span className="quiet at">{line.at.slice(11, 23)} </span>}
        {writer && line.activity && <span className="quiet">{plain(line.activity)} | </span>}
        {pieces.map(({ text, look }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line do not move
          <span key={at} className={look}>
            {text}
          </span>
        ))}
      </span>
    </div>
  );
}

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
