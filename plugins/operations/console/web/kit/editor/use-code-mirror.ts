import { EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type RefObject, useEffect, useRef } from 'react';

interface Options {
  /** The editor is created again when this changes. */
  id?: string;
  value: string;
  onChange?(text: string): void;
  /** Called when the editor is created. Later changes are dispatched to `view`. */
  extensions(): readonly Extension[];
}

/**
 * Runs CodeMirror in the element that gets `host`, and puts it into `view`. It lives in a shadow root: there its styles are
 * style sheets made by script, which the content security policy allows, where style elements of the page are refused.
 */
export function useCodeMirror(view: RefObject<EditorView | undefined>, { id, value, onChange, extensions }: Options) {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(onChange);
  latest.current = onChange;
  // biome-ignore lint/correctness/useExhaustiveDependencies: later changes are dispatched
  useEffect(() => {
    const element = host.current!;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open', delegatesFocus: true });
    const changed = EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) latest.current?.(state.doc.toString());
    });
    const state = EditorState.create({ doc: value, extensions: [...extensions(), changed] });
    const created = new EditorView({ state, parent: root, root });
    view.current = created;
    return () => {
      created.destroy();
      view.current = undefined;
    };
  }, [id]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a view is a ref
  useEffect(() => {
    const { state } = view.current!;
    // What was typed came from here; only another text is put in.
    if (state.doc.toString() !== value)
      view.current!.dispatch({ changes: { from: 0, to: state.doc.length, insert: value } });
  }, [value]);
  /** Puts a text in place of what is selected, and takes the focus. */
  const insert = (text: string) => {
    view.current!.dispatch(view.current!.state.replaceSelection(text), { scrollIntoView: true });
    view.current!.focus();
  };
  return { host, insert };
}
