import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { Compartment, Prec } from '@codemirror/state';
import { drawSelection, EditorView, highlightSpecialChars, keymap } from '@codemirror/view';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import type { EditorHandle } from '../../kit/editor/editor.tsx';
import { CEL, program } from '../../kit/editor/program.ts';
import { COLOURS } from '../../kit/editor/theme.ts';
import { useCodeMirror } from '../../kit/editor/use-code-mirror.ts';
import type { Option } from './completion.ts';

export interface CelEditorProps {
  label: string;
  value: string;
  onChange(text: string): void;
  invalid: boolean;
  /** What may stand at the cursor. */
  complete(text: string, caret: number): readonly Option[];
  ref?: Ref<Pick<EditorHandle, 'insert'>>;
}

const LOOK = EditorView.theme({
  '&': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line-control)',
    borderRadius: 'var(--r-md)',
    fontSize: '12px',
    maxHeight: '12rem',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--text)', padding: '5px 0' },
  '.cm-content[aria-invalid=true]': { boxShadow: 'inset 2px 0 var(--failed-solid)' },
  '.cm-line': { padding: '0 8px' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 25%, transparent)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-bg)', color: 'var(--accent-text)' },
  '.cm-specialChar': { color: 'var(--failed-text)' },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--raised)',
    border: '0',
    borderRadius: 'var(--r-lg)',
    boxShadow: 'var(--shadow-2)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono)', maxHeight: '14rem', minWidth: '18rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    justifyContent: 'space-between',
    gap: '12px',
    padding: '4px 8px',
    lineHeight: '20px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--accent-text)',
    backgroundColor: 'var(--accent-bg)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-completionDetail': {
    color: 'var(--text-3)',
    fontFamily: 'var(--font-sans)',
    fontStyle: 'normal',
    margin: '0',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
  },
});

/** A CEL expression in CodeMirror. */
export default function CelEditor({ label, value, onChange, invalid, complete, ref }: CelEditorProps) {
  const latest = useRef({ complete });
  latest.current = { complete };
  const described = useRef(new Compartment());
  const view = useRef<EditorView>(undefined);
  const { host, insert } = useCodeMirror(view, {
    value,
    onChange,
    extensions: () => [
      highlightSpecialChars(),
      history(),
      drawSelection(),
      bracketMatching(),
      EditorView.lineWrapping,
      program(CEL),
      ...COLOURS,
      LOOK,
      autocompletion({ override: [sourceOf(latest)], icons: false, defaultKeymap: false, interactionDelay: 0 }),
      Prec.highest(
        keymap.of([
          ...completionKeymap.filter(({ key }) => key !== 'Enter'),
          // A newline is rare in an expression: Enter takes the suggestion, if one is shown.
          { key: 'Enter', run: acceptCompletion },
        ]),
      ),
      // Tab leads to the next control, as everywhere.
      keymap.of([...defaultKeymap, ...historyKeymap]),
      described.current.of(attributesOf(label, invalid)),
    ],
  });
  useEffect(() => {
    view.current!.dispatch({ effects: described.current.reconfigure(attributesOf(label, invalid)) });
  }, [label, invalid]);
  useImperativeHandle(ref, () => ({ insert }));
  return <div ref={host} className="expression-editor" />;
}

const attributesOf = (label: string, invalid: boolean) =>
  EditorView.contentAttributes.of({
    'aria-label': label,
    'aria-invalid': String(invalid),
    spellcheck: 'false',
    autocapitalize: 'off',
    tabindex: '0',
  });

type Latest = { current: Pick<CelEditorProps, 'complete'> };

/** Suggestions after a letter or a dot, and for Ctrl Space. */
const sourceOf =
  (latest: Latest) =>
  ({ state, pos, explicit }: CompletionContext) => {
    const text = state.doc.toString();
    if (!explicit && !/[\w.]$/.test(text.slice(0, pos))) return null;
    const options = latest.current.complete(text, pos);
    if (options.length === 0) return null;
    const typed = /\w*$/.exec(text.slice(0, pos))![0];
    return { from: pos - typed.length, options: options.map(completionOf), filter: false };
  };

const completionOf = ({ label, insert, detail, from, caret = insert.length }: Option): Completion => ({
  label,
  detail,
  apply: (view, _completion, _from, to) =>
    view.dispatch({
      changes: { from, to, insert },
      selection: { anchor: from + caret },
      userEvent: 'input.complete',
    }),
});
