const SPACE = /[ \t\n\r]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y;
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
    at = code === 0x5c ? matchAt(ESCAPE, text, at) : at + 1;
    if (at < 0) return -1;
  }
  return -1;
}

const scalarEnd = (text: string, start: number) => matchAt(SCALAR, text, start);

/** Finds where a text stops being JSON. The engine's own message often has no position, and quotes the text. */
class Reader {
  readonly #text: string;
  readonly #open: ('[' | '{')[] = [];
  #at = 0;
  #expects: Expectation = 'value';

  constructor(text: string) {
    this.#text = text;
  }

  findError(): { offset: number; message: string } {
    do this.#at = matchAt(SPACE, this.#text, this.#at);
    while (this.#step());
    const message =
      this.#at < this.#text.length ? `expected ${this.#expects}` : `it ends where ${this.#expects} is expected`;
    return { offset: this.#at, message };
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
export function findSyntaxError(text: string): { offset: number; message: string } {
  return new Reader(text).findError();
}
