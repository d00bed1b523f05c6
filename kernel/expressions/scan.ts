/** Longest expression and deepest nesting. */
export const MOST_CHARACTERS = 8192;
export const MOST_BRACKETS = 64;
export const MOST_DEPTH = 250;

export interface ScanFault {
  offset: number;
  message: string;
}

/** A text of a string literal from its first quote on, with what escapes it. */
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

/** Where the literal that was opened ends; the end of the text when it never does. */
function closes(source: string, from: number, { raw, quote }: { raw: boolean; quote: string }): number {
  for (let at = from; at < source.length; at++) {
    if (!raw && source[at] === '\\') at++;
    else if (source.startsWith(quote, at)) return at + quote.length;
  }
  return source.length;
}

/**
 * What must be known before the parser sees a text: it recurses at every bracket, and takes one comment at a place.
 * Answers the text with its comments blanked, and none at its end, so that all offsets stay.
 */
export function scan(source: string): { text: string } | ScanFault {
  if (source.length > MOST_CHARACTERS)
    return {
      offset: 0,
      message: `an expression has at most ${MOST_CHARACTERS} characters; this one has ${source.length}`,
    };
  if (!source.isWellFormed()) return { offset: 0, message: 'the text holds half of a surrogate pair' };
  return withoutComments(source);
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
    if (depth > MOST_BRACKETS) return { offset: at, message: `brackets nest at most ${MOST_BRACKETS} deep` };
    pieces.push(!literal && piece.startsWith('//') ? ' '.repeat(piece.length) : piece);
    at = end;
  }
  // The parser takes blanks at the end for the beginning of more, once for each: thousands take it half a second.
  return { text: pieces.join('').trimEnd() };
}
