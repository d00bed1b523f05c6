import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(max-width: 700px)');

function subscribe(listen: () => void): () => void {
  narrow.addEventListener('change', listen);
  return () => narrow.removeEventListener('change', listen);
}

/** Is the page as narrow as on a phone? Rows become cards then. */
export const usePhone = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches);
