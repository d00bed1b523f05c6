import type { Masker } from '../../../security/masking/contract.ts';
import type { Term, TermKind } from './query.ts';
import { nameTerm, wordsOf, wordsOfJson } from './words.ts';

/** What is read of a run before it is masked. Every text is a bounded beginning. */
export interface RunTexts {
  run_id: string;
  outputs: readonly { bytes: Buffer; truncated: boolean; json: boolean }[];
  error: string;
  steps: readonly string[];
  accounts: readonly string[];
}

/** The maximum terms of each kind for a run. */
export const MAX_TERMS = 256;

/** Returns the terms of a run, from its masked texts. */
export function termsOf(texts: RunTexts, masker: Masker): Term[] {
  const output = texts.outputs.flatMap((one) => {
    const text = maskBeginning(one, masker);
    return one.json ? wordsOfJson(text, MAX_TERMS) : wordsOf(text, MAX_TERMS);
  });
  const names = (list: readonly string[]) => list.map((name) => nameTerm(masker.text(name)));
  return [
    ...distinctTerms('output', output),
    ...distinctTerms('error', wordsOf(masker.text(texts.error), MAX_TERMS)),
    ...distinctTerms('step', names(texts.steps)),
    ...distinctTerms('account', names(texts.accounts)),
  ];
}

/** Where a text was cut, it may end with the beginning of a secret value: such bytes stay in the stream, and are left out. */
function maskBeginning({ bytes, truncated }: { bytes: Buffer; truncated: boolean }, masker: Masker): string {
  const stream = masker.stream();
  const masked = stream.push(bytes);
  return (truncated ? masked : Buffer.concat([masked, stream.end()])).toString();
}

const distinctTerms = (kind: TermKind, texts: readonly string[]): Term[] =>
  [...new Set(texts)].slice(0, MAX_TERMS).map((text) => ({ kind, text }));
