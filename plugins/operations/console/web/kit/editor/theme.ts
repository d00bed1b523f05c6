import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const THEME = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '12px', maxHeight: '34rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '20px', minHeight: '8rem' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { color: 'var(--text-3)', backgroundColor: 'var(--hover)', border: '0' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 6%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 25%, transparent)',
  },
  '.cm-specialChar': { color: 'var(--failed-text)' },
  '.cm-panels, .cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--hover)',
    border: '1px solid var(--line)',
  },
  '.cm-panels input, .cm-panels button': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    backgroundImage: 'none',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono)', maxHeight: '14rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 8px', lineHeight: '20px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--accent-text)',
    backgroundColor: 'var(--accent-bg)',
  },
  '.cm-completionDetail': { color: 'var(--text-3)', fontStyle: 'normal' },
  '.cm-tooltip-lint': { fontFamily: 'var(--font-sans)', maxWidth: '32rem' },
});

const HIGHLIGHTS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--running-text)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--succeeded-text)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--waiting-text)' },
  { tag: [tags.comment, tags.meta], color: 'var(--text-3)' },
  { tag: tags.invalid, color: 'var(--failed-text)' },
]);

/** The colours are those of the page, which change with the theme. */
export const COLOURS = [syntaxHighlighting(HIGHLIGHTS)];
export const LOOK = [THEME, ...COLOURS];
