/** Longest expression and deepest nesting. */
export const MAX_CHARACTERS = 8192;
export const MAX_BRACKETS = 64;
export const MAX_DEPTH = 250;

export interface ScanFault {
  offset: number;
  message: string;
}

/** The text of a string literal from its first quote, with its escapes. */
const STRINGS: readonly { opens: RegExp; raw: boolean; quote: string }[] = ['"""', "'''", '"', "'"].flatMap((quote) => [
  { opens: new RegExp(`(?:[rR][bB]?|[bB][rR])${quote}`, 'y'), raw: true, quote },
  { opens: new RegExp(`[bB]?${quote}`, 'y'), raw: false, quote },
]);

function opens(source: string, at: number) {
  for (const { opens: pattern, raw, quote } of STRINGS) {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found) return { length: found[0].length, raw, quote };
  }
  return undefined;
}

/** Where the open literal ends; the end of the text when it never closes. */
function closes(source: string, from: number, { raw, quote }: { raw: boolean; quote: string }): number {
  for (let at = from; at < source.length; at++) {
    if (!raw && source[at] === '\\') at++;
    else if (source.startsWith(quote, at)) return at + quote.length;
  }
  return source.length;
}

/**
 * Checks before parsing: the parser recurses at every bracket, and accepts one comment at a place. Answers the text
 * with blanked comments and trimmed end, so that all offsets stay the same.
 */
export function scan(source: string): { text: string } | ScanFault {
  if (source.length > MAX_CHARACTERS)
    return {
      offset: 0,
      message: `the expression has ${source.length} characters; the limit is ${MAX_CHARACTERS}`,
    };
  if (!source.isWellFormed()) return { offset: 0, message: 'the text contains half of a surrogate pair' };
  // Without quotes and comments there are only brackets to count, and so few cannot be too deep.
  const plain = !/["'/]/.test(source) && (source.match(/[([{]/g)?.length ?? 0) <= MAX_BRACKETS;
  return plain ? { text: source.trimEnd() } : withoutComments(source);
}

function withoutComments(source: string): { text: string } | ScanFault {
  const pieces: string[] = [];
  let depth = 0;
  for (let at = 0; at < source.length; ) {
    const literal = opens(source, at);
    let end = at + 1;
    if (literal) end = closes(source, at + literal.length, literal);
    else if (source.startsWith('//', at)) end = at + /^[^\r\n]*/.exec(source.slice(at))![0].length;
    const piece = source.slice(at, end);
    if ('([{'.includes(piece)) depth++;
    if (')]}'.includes(piece)) depth--;
    if (depth > MAX_BRACKETS)
      return { offset: at, message: `brackets may be nested at most ${MAX_BRACKETS} levels deep` };
    pieces.push(!literal && piece.startsWith('//') ? ' '.repeat(piece.length) : piece);
    at = end;
  }
  // The parser retries for each blank at the end: thousands of blanks take half a second.
  return { text: pieces.join('').trimEnd() };
}
