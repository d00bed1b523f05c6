import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { indentOnInput } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import type { DocumentLanguage } from './language.ts';
import { extensionOf } from './languages.ts';
import { positionOf } from './position.ts';
import { LOOK } from './theme.ts';

/** Something is wrong at a place of the document; line and column count from 1. */
export interface Mark {
  line?: number | undefined;
  column?: number | undefined;
  message: string;
  severity: 'error' | 'warning';
}

export interface EditorHandle {
  /** Puts the cursor there and shows it. */
  goTo(line: number, column: number): void;
}

export interface EditorProps {
  label: string;
  value: string;
  /** Absent: for reading only. */
  onChange?(text: string): void;
  language: DocumentLanguage;
  marks?: readonly Mark[];
  ref?: Ref<EditorHandle>;
}

const NO_MARKS: readonly Mark[] = [];

/**
 * A document in CodeMirror. It lives in a shadow root: there its styles are style sheets made by script, which the content
 * security policy allows, where style elements of the page are refused.
 */
export default function Editor({ label, value, onChange, language, marks = NO_MARKS, ref }: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const told = useRef(onChange);
  told.current = onChange;
  const spoken = useRef(new Compartment());
  // biome-ignore lint/correctness/useExhaustiveDependencies: what changes later is dispatched below
  useEffect(() => {
    const host = place.current!;
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open', delegatesFocus: true });
    const extensions = [
      ...setup(label, told.current === undefined),
      spoken.current.of(extensionOf(language)),
      EditorView.updateListener.of(({ docChanged, state }) => docChanged && told.current?.(state.doc.toString())),
    ];
    const made = new EditorView({ state: EditorState.create({ doc: value, extensions }), parent: root, root });
    view.current = made;
    return () => {
      made.destroy();
      view.current = undefined;
    };
  }, [label]);
  useEffect(() => {
    const made = view.current!;
    // What was typed came from here; only another text is put in.
    if (made.state.doc.toString() !== value)
      made.dispatch({ changes: { from: 0, to: made.state.doc.length, insert: value } });
  }, [value]);
  useEffect(() => {
    view.current!.dispatch({ effects: spoken.current.reconfigure(extensionOf(language)) });
  }, [language]);
  useEffect(() => {
    const { state } = view.current!;
    view.current!.dispatch(
      setDiagnostics(
        state,
        marks.map((mark) => diagnosticOf(state, mark)),
      ),
    );
  }, [marks]);
  useImperativeHandle(ref, () => ({
    goTo(line, column) {
      const made = view.current!;
      const at = positionOf(made.state.doc, line, column);
      made.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
      made.focus();
    },
  }));
  return <div ref={place} className="editor" />;
}

function setup(label: string, readOnly: boolean): Extension[] {
  return [
    lineNumbers(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    indentOnInput(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    search({ top: true }),
    lintGutter(),
    // Tab is in no keymap: it goes to the next control, as everywhere. Ctrl ] and Ctrl [ indent.
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
    EditorState.readOnly.of(readOnly),
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', autocapitalize: 'off', tabindex: '0' }),
    ...LOOK,
  ];
}

function diagnosticOf(state: EditorState, { line = 1, column = 1, message, severity }: Mark): Diagnostic {
  const from = positionOf(state.doc, line, column);
  const word = state.wordAt(from);
  return { from, to: word?.to ?? Math.min(from + 1, state.doc.lineAt(from).to), severity, message };
}
