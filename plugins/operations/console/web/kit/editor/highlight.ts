import { jsonLanguage } from '@codemirror/lang-json';
import { yamlLanguage } from '@codemirror/lang-yaml';
import type { Language } from '@codemirror/language';
import { highlightCode, tagHighlighter, tags } from '@lezer/highlight';
import type { DocumentLanguage } from './language.ts';
import { CODE, program, SHELL } from './program.ts';

const LANGUAGES: Partial<Record<DocumentLanguage, () => Language>> = {
  yaml: () => yamlLanguage,
  json: () => jsonLanguage,
  shell: () => program(SHELL),
  code: () => program(CODE),
};

/** The classes of parts, in the same hues as in the editor. */
const CLASSES = tagHighlighter([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], class: 'hl-name' },
  { tag: [tags.string, tags.special(tags.string)], class: 'hl-string' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], class: 'hl-keyword' },
  { tag: [tags.comment, tags.meta], class: 'hl-comment' },
]);

/** A part of a line, with the class of its colour. */
export interface Piece {
  text: string;
  look: string;
}

/** The lines of a text in colours. A document that is only text has none. */
export function highlightLines(text: string, language: DocumentLanguage): Piece[][] {
  const parser = LANGUAGES[language]?.().parser;
  if (parser === undefined) return text.split('\n').map((line) => [{ text: line, look: '' }]);
  const lines: Piece[][] = [[]];
  highlightCode(
    text,
    parser.parse(text),
    CLASSES,
    (part, look) => lines.at(-1)!.push({ text: part, look }),
    () => lines.push([]),
  );
  return lines;
}
