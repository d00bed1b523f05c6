import { useSyncExternalStore } from 'react';

/** One timer for everything on the page that shows how long ago something was. */
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listen: () => void): () => void {
  listeners.add(listen);
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(() => {
      now = Date.now();
      for (const one of listeners) one();
    }, 1000);
  }
  return () => {
    listeners.delete(listen);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Epoch ms, of this second. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);
