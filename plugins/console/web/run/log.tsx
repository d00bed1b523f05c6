import { useVirtualizer } from '@tanstack/react-virtual';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { Ansi, plain } from '../kit/ansi.ts';
import { Empty } from '../kit/basics.tsx';
import { count } from '../kit/text.ts';
import { useLog } from './follow-log.ts';
import type { LogLine } from './log-lines.ts';

const ROW_PX = 20;
/** Nearer to the end than this, the view stays at the end. */
const AT_END_PX = 2 * ROW_PX;

export function Log({ path }: { path: string }) {
  const { log, complete, version } = useLog(path);
  const [text, setText] = useState('');
  const [wrap, setWrap] = useState(false);
  const [times, setTimes] = useState(false);
  const wanted = useDeferredValue(text.toLowerCase());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lines are changed in place, `version` tells so
  const shown = useMemo(
    () => (wanted === '' ? log.lines : log.lines.filter((line) => plain(line.text).toLowerCase().includes(wanted))),
    [log, version, wanted],
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

function Lines({ lines, version, wrap, times }: LinesProps) {
  const pane = useRef<HTMLDivElement>(null);
  const [follows, setFollows] = useState(true);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => pane.current,
    estimateSize: () => ROW_PX,
    overscan: 20,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines move the end
  useEffect(() => {
    if (follows && lines.length > 0) rows.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [version, lines.length, follows]);
  const onScroll = () => {
    const { scrollHeight, scrollTop, clientHeight } = pane.current!;
    setFollows(scrollHeight - scrollTop - clientHeight < AT_END_PX);
  };
  const looks = useLooks(lines, version);
  return (
    <div className="log-frame">
      <div
        ref={pane}
        className={wrap ? 'log wraps' : 'log'}
        onScroll={onScroll}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keys
        tabIndex={0}
        role="log"
        aria-label="Log"
        aria-live="off"
      >
        <div className="log-all" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, key, start }) => (
            <div
              key={key}
              ref={wrap ? rows.measureElement : undefined}
              data-index={index}
              className={`line ${lines[index]!.stream}`}
              style={{ transform: `translateY(${start}px)` }}
            >
              {times && <span className="quiet at">{lines[index]!.at.slice(11, 23)} </span>}
              {lines[index]!.activity && <span className="quiet">{plain(lines[index]!.activity)} | </span>}
              {looks(index).map(({ text, look }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line do not move
                <span key={at} className={look}>
                  {text}
                </span>
              ))}
            </div>
          ))}
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
