import { stepsOf } from './pointer.ts';

/** Line and column of a place in a text, from 1. */
export interface TextPlace {
  line: number;
  column: number;
}

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /[^\s,\]}]*/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The pointers that lead to a value or below it. */
interface Target {
  /** Their places in the list of pointers. */
  wanted: number[];
  below: Map<string, Target>;
}

const newTarget = (): Target => ({ wanted: [], below: new Map() });

/** Walks valid JSON once, and notes where its targets begin. */
class Walk {
  readonly #text: string;
  readonly #offsets: number[];
  /** Targets that are not found yet: without one, the rest of the text is not looked at. */
  #left: number;
  #at = 0;

  constructor(text: string, offsets: number[]) {
    this.#text = text;
    this.#offsets = offsets;
    this.#left = offsets.length;
  }

  /** What is not there is in the nearest value around it. */
  value(target: Target): void {
    this.#skip(SPACE);
    const from = this.#at;
    this.#found(target.wanted, from);
    const sign = this.#text[from];
    if (target.below.size > 0 && sign === '{') this.#members(target.below, from);
    else if (target.below.size > 0 && sign === '[') this.#items(target.below, from);
    else {
      this.#around(target.below, from);
      this.#pass();
    }
  }

  #found(wanted: readonly number[], from: number): void {
    for (const one of wanted) this.#offsets[one] = from;
    this.#left -= wanted.length;
  }

  #members(below: Target['below'], from: number): void {
    const left = new Map(below);
    this.#at++;
    for (this.#skip(SPACE); this.#left > 0 && this.#text[this.#at] === '"'; this.#next()) {
      const name = this.#at;
      this.#string();
      const key = JSON.parse(this.#text.slice(name, this.#at)) as string;
      this.#skip(SPACE);
      this.#at++;
      this.value(left.get(key) ?? NOTHING);
      left.delete(key);
    }
    this.#at++;
    this.#around(left, from);
  }

  #items(below: Target['below'], from: number): void {
    const left = new Map(below);
    this.#at++;
    this.#skip(SPACE);
    for (let i = 0; this.#left > 0 && this.#at < this.#text.length && this.#text[this.#at] !== ']'; i++, this.#next()) {
      this.value(left.get(String(i)) ?? NOTHING);
      left.delete(String(i));
    }
    this.#at++;
    this.#around(left, from);
  }

  #around(absent: Target['below'], from: number): void {
    for (const { wanted, below } of absent.values()) {
      this.#found(wanted, from);
      this.#around(below, from);
    }
  }

  /** Past the comma, if there is one. */
  #next(): void {
    this.#skip(SPACE);
    if (this.#text[this.#at] === ',') this.#at++;
    this.#skip(SPACE);
  }

  /** Past a whole value. */
  #pass(): void {
    if (this.#left === 0) return;
    let depth = 0;
    do {
      const sign = this.#text[this.#at];
      if (sign === '"') this.#string();
      else if (sign === '{' || sign === '[') {
        depth++;
        this.#at++;
      } else if (sign === '}' || sign === ']') {
        depth--;
        this.#at++;
      } else if (sign === ',' || sign === ':') this.#at++;
      else this.#skip(SCALAR);
      if (depth > 0) this.#skip(SPACE);
    } while (depth > 0 && this.#at < this.#text.length);
  }

  /** Past a string. A loop, because a regular expression would overflow its stack on a long one. */
  #string(): void {
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === BACKSLASH) this.#at++;
      else if (code === QUOTE) break;
    }
    this.#at++;
  }

  #skip(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    pattern.test(this.#text);
    this.#at = pattern.lastIndex;
  }
}

const NOTHING: Target = newTarget();

function offsetsOf(text: string, pointers: readonly string[]): number[] {
  const root = newTarget();
  for (const [n, pointer] of pointers.entries()) {
    let target = root;
    for (const step of stepsOf(pointer)) {
      const next = target.below.get(step) ?? newTarget();
      target.below.set(step, next);
      target = next;
    }
    target.wanted.push(n);
  }
  const offsets = pointers.map(() => 0);
  new Walk(text, offsets).value(root);
  return offsets;
}

/** Where JSON pointers lead in the text of a valid document, by one walk; the nearest value around what is not there. */
export const placesOf = (text: string, pointers: readonly string[]): TextPlace[] =>
  linesAt(text, offsetsOf(text, pointers));

export const placeOf = (text: string, pointer: string): TextPlace => placesOf(text, [pointer])[0]!;

/** The place of a line and column within the text that a pointer leads to, such as those of an expression. */
export function insideText(text: string, pointer: string, { line, column }: TextPlace): TextPlace {
  const [start = 0] = offsetsOf(text, [pointer]);
  if (text[start] !== '"') return placeAt(text, start);
  let [at, here] = [start + 1, { line: 1, column: 1 }];
  while (at < text.length && text[at] !== '"' && (here.line < line || here.column < column)) {
    const width = text[at] !== '\\' ? 1 : text[at + 1] === 'u' ? 6 : 2;
    const feed = width === 2 && text[at + 1] === 'n';
    here = feed ? { line: here.line + 1, column: 1 } : { line: here.line, column: here.column + 1 };
    at += width;
  }
  return placeAt(text, at);
}

const placeAt = (text: string, offset: number): TextPlace => linesAt(text, [offset])[0]!;

function linesAt(text: string, offsets: readonly number[]): TextPlace[] {
  const places: TextPlace[] = [];
  let [line, begin, end] = [1, 0, text.indexOf('\n')];
  const ordered = offsets.map((offset, n) => ({ offset, n })).toSorted((a, b) => a.offset - b.offset);
  for (const { offset, n } of ordered) {
    for (; end >= 0 && end < offset; end = text.indexOf('\n', begin)) {
      line += 1;
      begin = end + 1;
    }
    places[n] = { line, column: offset - begin + 1 };
  }
  return places;
}
