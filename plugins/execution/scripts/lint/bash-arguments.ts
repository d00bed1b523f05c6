import type { Word } from './bash-words.ts';
import type { Argument } from './verb-arguments.ts';

/** Matches `>file`, `2>`, `&>all` and `<<< text`, with the target in the word or as the next one. */
const REDIRECTION = /^(?:\d*|&)(?:<<<|<>|>>|>\||[<>])(.*)$/s;
/** Characters that bash expands outside of quotes. */
const EXPANDED = /[*?[\]{}~]/;

/** Returns the arguments that bash makes of words, without redirections. */
export function toArguments(words: readonly Word[]): { word: Word; argument: Argument }[] {
  const arguments_found: { word: Word; argument: Argument }[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!;
    const redirection = REDIRECTION.exec(word.text);
    if (!redirection) arguments_found.push({ word, argument: toArgument(word.text) });
    else if (redirection[1] === '') at += 1;
  }
  return arguments_found;
}

/** Returns what a word says without running it. */
export function toArgument(word: string): Argument {
  let text = '';
  for (let at = 0; at < word.length; ) {
    const sign = word[at]!;
    if (sign === "'") {
      const end = word.indexOf("'", at + 1);
      if (end < 0) return unknown(text);
      text += word.slice(at + 1, end);
      at = end + 1;
    } else if (sign === '"') {
      const [quoted, end, is_literal] = readDoubleQuoted(word, at + 1);
      text += quoted;
      // `"$@"` and `"${list[@]}"` are several words even in quotes.
      if (!is_literal) return { begins: text, any_number: /@/.test(word) || !isFullyQuoted(word, at) };
      at = end;
    } else if (sign === '\\') {
      text += word[at + 1] === '\n' ? '' : (word[at + 1] ?? '');
      at += 2;
    } else if (sign === '$' || sign === '`' || sign === '<' || sign === '>' || EXPANDED.test(sign))
      return unknown(text);
    else {
      text += sign;
      at += 1;
    }
  }
  return { text };
}

const unknown = (begins: string): Argument => ({ begins, any_number: true });

/** Returns the literal text up to the closing quote, the position after it, and whether that is everything. */
function readDoubleQuoted(word: string, from: number): [text: string, end: number, known: boolean] {
  let text = '';
  for (let at = from; at < word.length; at += 1) {
    const sign = word[at]!;
    if (sign === '"') return [text, at + 1, true];
    if (sign === '$' || sign === '`') return [text, at, false];
    if (sign === '\\' && /["$`\\\n]/.test(word[at + 1] ?? '')) {
      at += 1;
      text += word[at] === '\n' ? '' : word[at];
    } else text += sign;
  }
  return [text, word.length, false];
}

/** True if no part of it is split into words, because one pair of quotes reaches to its end. */
const isFullyQuoted = (word: string, from: number): boolean => from === 0 && word.length > 1 && word.endsWith('"');
