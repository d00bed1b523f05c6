import { autocompletion, type Completion, type CompletionContext, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { indentOnInput } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension, Prec } from '@codemirror/state';
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
import { useCodeMirror } from './use-code-mirror.ts';

/** Something is wrong at a place of the document; line and column count from 1. */
export interface Mark {
  line?: number | undefined;
  column?: number | undefined;
  message: string;
  severity: 'error' | 'warning';
}

/** What may stand at the cursor. */
export interface Offer {
  label: string;
  detail: string;
  /** So many letters before the cursor go. */
  length: number;
  /** What comes in their place; called when it is chosen. */
  insert(): string;
}

export interface EditorHandle {
  /** Puts a text in place of what is selected, and takes the focus. */
  insert(text: string): void;
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
  /** Given what stands in the line before the cursor. */
  complete?(before: string): readonly Offer[];
  ref?: Ref<EditorHandle>;
}

const NO_MARKS: readonly Mark[] = [];

/** A document in CodeMirror. */
export default function Editor({ label, value, onChange, language, marks = NO_MARKS, complete, ref }: EditorProps) {
  const completes = useRef(complete);
  completes.current = complete;
  const spoken = useRef(new Compartment());
  const view = useRef<EditorView>(undefined);
  const { host, insert } = useCodeMirror(view, {
    id: label,
    value,
    onChange,
    extensions: () => [
      ...setup(label, onChange === undefined),
      spoken.current.of(extensionOf(language)),
      ...(completes.current ? completing((before) => completes.current?.(before) ?? []) : []),
    ],
  });
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
    insert,
    goTo(line, column) {
      const made = view.current!;
      const at = positionOf(made.state.doc, line, column);
      made.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
      made.focus();
    },
  }));
  return <div ref={host} className="editor" />;
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

function completing(offers: (before: string) => readonly Offer[]): Extension[] {
  const source = ({ state, pos, explicit }: CompletionContext) => {
    const line = state.doc.lineAt(pos);
    const before = line.text.slice(0, pos - line.from);
    if (!explicit && !/[\w.$]$/.test(before)) return null;
    const options = offers(before).map(
      ({ label, detail, length, insert }): Completion => ({
        label,
        detail,
        apply: (view) => {
          const text = insert();
          view.dispatch({
            changes: { from: pos - length, to: view.state.selection.main.head, insert: text },
            selection: { anchor: pos - length + text.length },
            userEvent: 'input.complete',
          });
        },
      }),
    );
    const typed = /\w*$/.exec(before)![0];
    return options.length === 0 ? null : { from: pos - typed.length, options, validFor: /^\w*$/ };
  };
  return [
    autocompletion({ override: [source], icons: false, activateOnCompletion: () => false, defaultKeymap: false }),
    // Tab goes on to the next control; Enter takes what is chosen.
    Prec.highest(keymap.of(completionKeymap)),
  ];
}

function diagnosticOf(state: EditorState, { line = 1, column = 1, message, severity }: Mark): Diagnostic {
  const from = positionOf(state.doc, line, column);
  const word = state.wordAt(from);
  return { from, to: word?.to ?? Math.min(from + 1, state.doc.lineAt(from).to), severity, message };
}
