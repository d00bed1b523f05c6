import { useEffect, useRef } from 'react';

/** A function that does `work` at once, and then at most every `pause` ms, however often it is called. */
export function useBatched(work: () => void, pause: number): () => void {
  const latest = useRef(work);
  latest.current = work;
  const state = useRef<{ timer?: ReturnType<typeof setTimeout> | undefined; again: boolean }>({ again: false });
  useEffect(() => () => clearTimeout(state.current.timer), []);
  return () => {
    const { current } = state;
    if (current.timer) {
      current.again = true;
      return;
    }
    const run = () => {
      current.again = false;
      latest.current();
      current.timer = setTimeout(() => {
        current.timer = undefined;
        if (current.again) run();
      }, pause);
    };
    run();
  };
}
