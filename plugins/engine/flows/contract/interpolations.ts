export interface Interpolation {
  expr: string;
  /** The position of the expression in the string, counted from 1. */
  line: number;
  column: number;
}

interface TemplateError {
  message: string;
  line: number;
  column: number;
}

/** The end of a string literal of CEL that begins at `at`; -1 when it does not end. */
function findLiteralEnd(text: string, positionAt: number): number {
  const quote = ['"""', "'''"].find((three) => text.startsWith(three, positionAt)) ?? text[positionAt]!;
  const raw = /[rR][bB]?$|[bB][rR]$/.test(text.slice(Math.max(0, positionAt - 2), positionAt));
  for (let i = positionAt + quote.length; i < text.length; i++) {
    if (!raw && text[i] === '\\') i++;
    else if (text.startsWith(quote, i)) return i + quote.length;
  }
  return -1;
}

/**
 * Finds the `}}` that ends an expression; -1 when there is none. Strings and maps within the expression may contain
 * braces.
 */
function findInterpolationEnd(text: string, from: number): number {
  let open = 0;
  for (let positionAt = from; positionAt < text.length; ) {
    const character = text[positionAt]!;
    if (character === '"' || character === "'") {
      positionAt = findLiteralEnd(text, positionAt);
      if (positionAt < 0) return -1;
      continue;
    }
    if (character === '{') open++;
    else if (character === '}' && open > 0) open--;
    else if (text.startsWith('}}', positionAt)) return positionAt;
    positionAt++;
  }
  return -1;
}

/** Lines and columns of offsets that only grow. */
class PositionCounter {
  readonly #text: string;
  #line = 1;
  /** The offsets at which the current line begins and ends. */
  #begin = 0;
  #end: number;

  constructor(text: string) {
    this.#text = text;
    this.#end = text.indexOf('\n');
  }

  positionAt(offset: number): { line: number; column: number } {
    while (this.#end >= 0 && this.#end < offset) {
      this.#line += 1;
      this.#begin = this.#end + 1;
      this.#end = this.#text.indexOf('\n', this.#begin);
    }
    return { line: this.#line, column: offset - this.#begin + 1 };
  }
}

/** Splits a string into texts and `{{ <CEL> }}` expressions. */
export function splitInterpolations(text: string): { segments: (string | Interpolation)[] } | TemplateError {
  const segments: (string | Interpolation)[] = [];
  const positions = new PositionCounter(text);
  let from = 0;
  for (let positionAt = text.indexOf('{{'); positionAt >= 0; positionAt = text.indexOf('{{', from)) {
    if (positionAt > from) segments.push(text.slice(from, positionAt));
    const end = findInterpolationEnd(text, positionAt + 2);
    if (end < 0)
      return {
        message: 'an expression that begins with {{ is not closed with }}',
        ...positions.positionAt(positionAt),
      };
    const inner = text.slice(positionAt + 2, end);
    if (inner.trim() === '') return { message: 'the expression {{ }} is empty', ...positions.positionAt(positionAt) };
    const expr = inner.trim();
    segments.push({ expr, ...positions.positionAt(positionAt + 2 + inner.indexOf(expr)) });
    from = end + 2;
  }
  if (from < text.length || segments.length === 0) segments.push(text.slice(from));
  return { segments };
}
