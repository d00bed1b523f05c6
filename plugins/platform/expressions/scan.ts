/** The limits of an expression: its length, the nesting of brackets, and the depth of its tree. */
export const MAX_CHARACTERS = 8192;
export const MAX_BRACKETS = 64;
export const MAX_DEPTH = 250;

export interface ScanProblem {
  offset: number;
  message: string;
}

/** The kinds of string literals: how each begins, whether it is raw, and which quote ends it. */
const STRINGS: readonly { opens: RegExp; raw: boolean; quote: string }[] = ['"""', "'''", '"', "'"].flatMap((quote) => [
  { opens: new RegExp(`(?:[rR][bB]?|[bB][rR])${quote}`, 'y'), raw: true, quote },
  { opens: new RegExp(`[bB]?${quote}`, 'y'), raw: false, quote },
]);

function openingAt(source: string, at: number) {
  for (const { opens: pattern, raw, quote } of STRINGS) {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (match) return { length: match[0].length, raw, quote };
  }
  return undefined;
}

/** Returns where the open literal ends, or the end of the text when it is never closed. */
function findClosing(source: string, from: number, { raw, quote }: { raw: boolean; quote: string }): number {
  for (let at = from; at < source.length; at++) {
    if (!raw && source[at] === '\\') at++;
    else if (source.startsWith(quote, at)) return at + quote.length;
  }
  return source.length;
}

/**
 * Checks a text before it is parsed, because the parser recurses at every bracket and accepts only one comment in a row.
 * Returns the text with comments blanked and the end trimmed, so that all offsets stay the same.
 */
export function scan(source: string): { text: string } | ScanProblem {
  if (source.length > MAX_CHARACTERS)
    return {
      offset: 0,
      message: `the expression is ${source.length} characters long; the limit is ${MAX_CHARACTERS}`,
    };
  if (!source.isWellFormed()) return { offset: 0, message: 'the text contains half of a surrogate pair' };
  // Without quotes and comments only brackets count, and so few of them cannot be nested too deeply.
  const is_simple = !/["'/]/.test(source) && (source.match(/[([{]/g)?.length ?? 0) <= MAX_BRACKETS;
  return is_simple ? { text: source.trimEnd() } : blankComments(source);
}

function blankComments(source: string): { text: string } | ScanProblem {
  const tokens: string[] = [];
  let depth = 0;
  for (let at = 0; at < source.length; ) {
    const literal = openingAt(source, at);
    let end = at + 1;
    if (literal) end = findClosing(source, at + literal.length, literal);
    else if (source.startsWith('//', at)) end = at + /^[^\r\n]*/.exec(source.slice(at))![0].length;
    const token = source.slice(at, end);
    if ('([{'.includes(token)) depth++;
    if (')]}'.includes(token)) depth--;
    if (depth > MAX_BRACKETS)
      return { offset: at, message: `brackets can be nested at most ${MAX_BRACKETS} levels deep` };
    tokens.push(!literal && token.startsWith('//') ? ' '.repeat(token.length) : token);
    at = end;
  }
  // The parser retries for each blank at the end, and thousands of them take half a second.
  return { text: tokens.join('').trimEnd() };
}
