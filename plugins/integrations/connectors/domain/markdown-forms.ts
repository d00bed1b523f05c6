import { createRequire } from 'node:module';

type Markdown = typeof import('./markdown.ts');

/** `.ts` in the sources, `.js` in the package that is published. */
const ENDING = import.meta.url.slice(import.meta.url.lastIndexOf('.'));

let loaded: Markdown | undefined;

/** The reader of Markdown is loaded with the first text: most servers never need it. */
function markdown(): Markdown {
  loaded ??= createRequire(import.meta.url)(`./markdown${ENDING}`) as Markdown;
  return loaded;
}

export const htmlOf: Markdown['htmlOf'] = (text) => markdown().htmlOf(text);
export const plainOf: Markdown['plainOf'] = (text) => markdown().plainOf(text);
