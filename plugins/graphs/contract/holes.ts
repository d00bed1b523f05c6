export interface HolePart {
  expr: string;
  /** Where the expression begins in the string, from 1. */
  line: number;
  column: number;
}

interface HoleFault {
  message: string;
  line: number;
  column: number;
}

/** The end of a string literal of CEL that begins at `at`; -1 when it does not end. */
function literalEnd(text: string, at: number): number {
  const quote = ['"""', "'''"].find((three) => text.startsWith(three, at)) ?? text[at]!;
  const raw = /[rR][bB]?$|[bB][rR]$/.test(text.slice(Math.max(0, at - 2), at));
  for (let i = at + quote.length; i < text.length; i++) {
    if (!raw && text[i] === '\\') i++;
    else if (text.startsWith(quote, i)) return i + quote.length;
  }
  return -1;
}

/** The offset of the `}}` that ends a hole; -1 when there is none. Strings and maps inside of the hole may hold braces. */
function holeEnd(text: string, from: number): number {
  let open = 0;
  for (let at = from; at < text.length; ) {
    const sign = text[at]!;
    if (sign === '"' || sign === "'") {
      at = literalEnd(text, at);
      if (at < 0) return -1;
      continue;
    }
    if (sign === '{') open++;
    else if (sign === '}' && open > 0) open--;
    else if (text.startsWith('}}', at)) return at;
    at++;
  }
  return -1;
}

/** Lines and columns of offsets that only grow. */
class Places {
  readonly #text: string;
  #line = 1;
  /** Where the line begins and ends. */
  #begin = 0;
  #end: number;

  constructor(text: string) {
    this.#text = text;
    this.#end = text.indexOf('\n');
  }

  at(offset: number): { line: number; column: number } {
    while (this.#end >= 0 && this.#end < offset) {
      this.#line += 1;
      this.#begin = this.#end + 1;
      this.#end = this.#text.indexOf('\n', this.#begin);
    }
    return { line: this.#line, column: offset - this.#begin + 1 };
  }
}

/** A string in its texts and holes; a hole is `{{ <CEL> }}`. */
export function splitHoles(text: string): { parts: (string | HolePart)[] } | HoleFault {
  const parts: (string | HolePart)[] = [];
  const places = new Places(text);
  let from = 0;
  for (let at = text.indexOf('{{'); at >= 0; at = text.indexOf('{{', from)) {
    if (at > from) parts.push(text.slice(from, at));
    const end = holeEnd(text, at + 2);
    if (end < 0) return { message: 'a hole that begins with {{ is never closed by }}', ...places.at(at) };
    const inner = text.slice(at + 2, end);
    if (inner.trim() === '') return { message: 'the hole {{ }} is empty', ...places.at(at) };
    const expr = inner.trim();
    parts.push({ expr, ...places.at(at + 2 + inner.indexOf(expr)) });
    from = end + 2;
  }
  if (from < text.length || parts.length === 0) parts.push(text.slice(from));
  return { parts };
}
