import { createContext, useContext, useMemo, useRef } from 'react';

/** Puts an expression at the cursor of a field. */
export type Insert = (cel: string) => void;

export interface Insertion {
  /** A field has the focus now. */
  focus(insert: Insert): void;
  /** False: no field had the focus yet. */
  insert(cel: string): boolean;
}

const Place = createContext<Insertion | undefined>(undefined);

export const InsertionProvider = Place.Provider;

/** What is chosen in the data comes to the field that had the focus last; of another `owner`, to none. */
export function useInsertionOf(owner: string | undefined): Insertion {
  const last = useRef<{ owner: string | undefined; insert: Insert }>(undefined);
  const now = useRef(owner);
  now.current = owner;
  return useMemo(
    () => ({
      focus: (insert) => {
        last.current = { owner: now.current, insert };
      },
      insert: (cel) => {
        if (last.current === undefined || last.current.owner !== now.current) return false;
        last.current.insert(cel);
        return true;
      },
    }),
    [],
  );
}

/**
 * For the `onFocus` of a field. It is always the newest `insert` of the field that is called, because what it puts in depends on
 * what was typed since.
 */
export function useInserted(insert: Insert): () => void {
  const place = useContext(Place);
  const latest = useRef(insert);
  latest.current = insert;
  return () => place?.focus((cel) => latest.current(cel));
}

/** A text with another one at the place of what is selected in a field. */
export function atSelection(
  field: Pick<HTMLInputElement, 'selectionStart' | 'selectionEnd'> | null,
  text: string,
  put: string,
): { text: string; caret: number } {
  const from = field?.selectionStart ?? text.length;
  const to = field?.selectionEnd ?? from;
  return { text: text.slice(0, from) + put + text.slice(to), caret: from + put.length };
}
