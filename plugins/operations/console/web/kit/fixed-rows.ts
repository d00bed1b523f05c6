import { type RefObject, useCallback, useEffect, useLayoutEffect, useState } from 'react';
import { rowsInView, type View } from './rows-in-view.ts';

/**
 * Which of very many rows of one height are in view. What measures rows keeps an object for each of them, and makes all anew
 * when one is added: with a million, that takes longer than people accept.
 */
export function useFixedRows(pane: RefObject<HTMLElement | null>, count: number, row_px: number) {
  const [view, setView] = useState<View>({ top: 0, height: 0 });
  const look = useCallback(() => {
    const { scrollTop: top, clientHeight: height } = pane.current!;
    setView((before) => (before.top === top && before.height === height ? before : { top, height }));
  }, [pane]);
  // More rows may make the pane higher, and fewer move it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the number of rows changes the height
  useLayoutEffect(look, [look, count]);
  useEffect(() => {
    const watch = new ResizeObserver(look);
    watch.observe(pane.current!);
    return () => watch.disconnect();
  }, [look, pane]);
  return { total_px: count * row_px, onScroll: look, ...rowsInView(view, count, row_px) };
}
