const SPACE = /[ \t\n\r]*/y;
/** The characters that may follow a backslash, besides `u`. */
const ESCAPED = new Set([...'"\\/bfnrt'].map((sign) => sign.charCodeAt(0)));
const isEscapable = (code: number): boolean => ESCAPED.has(code);

const isHexDigit = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);

const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![A-Za-z0-9_.+-])/y;

type Expectation = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | ', or ]' | ', or }' | 'end';

function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/**
 * Returns the end of the string that starts here, or -1. It is a loop, because a regular expression would overflow the stack on
 * a long string.
 */
function stringEnd(text: string, start: number): number {
  if (text[start] !== '"') return -1;
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) return -1;
    if (code !== 0x5c) at += 1;
    else if (text.charCodeAt(at + 1) === 0x75) {
      for (let digit = at + 2; digit < at + 6; digit++) if (!isHexDigit(text.charCodeAt(digit))) return -1;
      at += 6;
    } else if (isEscapable(text.charCodeAt(at + 1))) at += 2;
    else return -1;
  }
  return -1;
}

const scalarEnd = (text: string, start: number) => matchAt(SCALAR, text, start);

/** Where a text stops being JSON. */
export interface SyntaxProblem {
  offset: number;
  message: string;
}

/** Finds where a text stops being JSON. The engine's own message often has no position, and quotes the text. */
export class SyntaxReader {
  readonly #text: string;
  readonly #open: ('[' | '{')[] = [];
  #at = 0;
  #expects: Expectation = 'value';

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads about this many more characters. Returns undefined when there is more to read, and null at the end of valid JSON. */
  read(max_characters = Number.POSITIVE_INFINITY): SyntaxProblem | null | undefined {
    const until = this.#at + max_characters;
    this.#skipSpace();
    while (this.#at < until) {
      if (!this.#step()) return this.#problem();
      this.#skipSpace();
    }
    return undefined;
  }

  #skipSpace(): void {
    this.#at = matchAt(SPACE, this.#text, this.#at);
  }

  #problem(): SyntaxProblem | null {
    const [at, is_end] = [this.#at, this.#at >= this.#text.length];
    if (is_end && this.#expects === 'end') return null;
    const message = is_end ? `it ends where ${this.#expects} is expected` : `expected ${this.#expects}`;
    return { offset: at, message };
  }

  #step(): boolean {
    const sign = this.#text[this.#at];
    switch (this.#expects) {
      case 'value':
        return this.#value(sign);
      case 'value or ]':
        return sign === ']' ? this.#close() : this.#value(sign);
      case 'name':
        return this.#consume(stringEnd, ':');
      case 'name or }':
        return sign === '}' ? this.#close() : this.#consume(stringEnd, ':');
      case ':':
        return sign === ':' && this.#sign('value');
      case ', or ]':
        return sign === ',' ? this.#sign('value') : sign === ']' && this.#close();
      case ', or }':
        return sign === ',' ? this.#sign('name') : sign === '}' && this.#close();
      case 'end':
        return false;
    }
  }

  #value(sign: string | undefined): boolean {
    if (sign === '[' || sign === '{') {
      this.#open.push(sign);
      return this.#sign(sign === '[' ? 'value or ]' : 'name or }');
    }
    return this.#consume(sign === '"' ? stringEnd : scalarEnd, this.#afterValue());
  }

  #close(): boolean {
    this.#open.pop();
    return this.#sign(this.#afterValue());
  }

  #afterValue(): Expectation {
    const inside = this.#open.at(-1);
    return inside === undefined ? 'end' : inside === '[' ? ', or ]' : ', or }';
  }

  #sign(next: Expectation): true {
    this.#at++;
    this.#expects = next;
    return true;
  }

  #consume(endOf: (text: string, start: number) => number, next: Expectation): boolean {
    const end = endOf(this.#text, this.#at);
    if (end < 0) return false;
    this.#at = end;
    this.#expects = next;
    return true;
  }
}

/** Returns the offset in characters and the reason of the first syntax error in a text that JSON.parse has rejected. */
export function findSyntaxError(text: string): SyntaxProblem {
  return new SyntaxReader(text).read() ?? { offset: text.length, message: 'expected end' };
}
