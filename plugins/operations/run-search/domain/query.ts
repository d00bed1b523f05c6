import { Errors } from '../../../../kernel/contracts/index.ts';
import type { RunTerms } from '../../run-views/contract.ts';
import { nameTerm, wordsOf } from './words.ts';

/** What a term is a word or a name of. */
export type TermKind = keyof RunTerms;

export interface Term {
  kind: TermKind;
  text: string;
}

/** A search for more words would read more of the index. */
const MAX_WORDS = 8;

/** Returns the terms that a run must have, the one with the fewest runs first, as far as one can guess. Throws `invalid_request`. */
export function parseTerms({ output, error, step, account }: RunTerms, at = '/query'): Term[] {
  const names = Object.entries({ step, account }).flatMap(([kind, name]) =>
    name === undefined ? [] : [{ kind: kind as TermKind, text: checked(`${at}/${kind}`, kind, [nameTerm(name)])[0]! }],
  );
  const words = Object.entries({ error, output }).flatMap(([kind, text]) =>
    text === undefined
      ? []
      : checked(`${at}/${kind}`, kind, wordsOf(text, MAX_WORDS + 1)).map((word) => ({
          kind: kind as TermKind,
          text: word,
        })),
  );
  return [...words.toSorted((a, b) => b.text.length - a.text.length), ...names];
}

function checked(pointer: string, name: string, texts: string[]): string[] {
  const invalid = (message: string) => Errors.invalidRequest(`${name} ${message}`, { errors: [{ pointer, message }] });
  if (texts.length === 0 || texts[0] === '') throw invalid('has no word: a search needs letters or digits');
  if (texts.length > MAX_WORDS) throw invalid(`has more than ${MAX_WORDS} words`);
  return texts;
}
