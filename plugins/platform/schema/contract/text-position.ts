import { stepsOf } from './pointer.ts';

/** A position in a text. Lines and columns count from 1. */
export interface TextPosition {
  line: number;
  column: number;
}

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /[^\s,\]}]*/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The pointers that lead to a value or into it. */
interface Target {
  /** The indexes of the pointers that lead to this value. */
  pointer_indexes: number[];
  below: Map<string, Target>;
}

const newTarget = (): Target => ({ pointer_indexes: [], below: new Map() });

/** Walks valid JSON once, and records where its targets begin. */
class Walk {
  readonly #text: string;
  readonly #offsets: number[];
  /** The number of targets that have not been found yet. At 0, the rest of the text is skipped. */
  #remaining: number;
  #at = 0;

  constructor(text: string, offsets: number[]) {
    this.#text = text;
    this.#offsets = offsets;
    this.#remaining = offsets.length;
  }

  /** Visits a value. A target that does not exist gets the position of the innermost value around it. */
  value(target: Target): void {
    this.#skip(SPACE);
    const from = this.#at;
    this.#recordFound(target.pointer_indexes, from);
    const sign = this.#text[from];
    if (target.below.size > 0 && sign === '{') this.#members(target.below, from);
    else if (target.below.size > 0 && sign === '[') this.#items(target.below, from);
    else {
      this.#recordAbsent(target.below, from);
      this.#skipValue();
    }
  }

  #recordFound(pointer_indexes: readonly number[], from: number): void {
    for (const index of pointer_indexes) this.#offsets[index] = from;
    this.#remaining -= pointer_indexes.length;
  }

  #members(below: Target['below'], from: number): void {
    const unvisited = new Map(below);
    this.#at++;
    for (this.#skip(SPACE); this.#remaining > 0 && this.#text[this.#at] === '"'; this.#next()) {
      const name = this.#at;
      this.#string();
      const key = JSON.parse(this.#text.slice(name, this.#at)) as string;
      this.#skip(SPACE);
      this.#at++;
      this.value(unvisited.get(key) ?? NOTHING);
      unvisited.delete(key);
    }
    this.#at++;
    this.#recordAbsent(unvisited, from);
  }

  #items(below: Target['below'], from: number): void {
    const unvisited = new Map(below);
    this.#at++;
    this.#skip(SPACE);
    for (
      let i = 0;
      this.#remaining > 0 && this.#at < this.#text.length && this.#text[this.#at] !== ']';
      i++, this.#next()
    ) {
      this.value(unvisited.get(String(i)) ?? NOTHING);
      unvisited.delete(String(i));
    }
    this.#at++;
    this.#recordAbsent(unvisited, from);
  }

  #recordAbsent(absent: Target['below'], from: number): void {
    for (const { pointer_indexes: wanted, below } of absent.values()) {
      this.#recordFound(wanted, from);
      this.#recordAbsent(below, from);
    }
  }

  /** Moves past the comma, if there is one. */
  #next(): void {
    this.#skip(SPACE);
    if (this.#text[this.#at] === ',') this.#at++;
    this.#skip(SPACE);
  }

  /** Moves past a whole value. */
  #skipValue(): void {
    if (this.#remaining === 0) return;
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

  /** Moves past a string. It is a loop, because a regular expression would overflow the stack on a long one. */
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
    target.pointer_indexes.push(n);
  }
  const offsets = pointers.map(() => 0);
  new Walk(text, offsets).value(root);
  return offsets;
}

/**
 * Returns the positions of JSON pointers in the text of a valid document, in one walk. A pointer that leads nowhere gets the
 * position of the innermost value around it.
 */
export const positionsOf = (text: string, pointers: readonly string[]): TextPosition[] =>
  linesAt(text, offsetsOf(text, pointers));

export const positionOf = (text: string, pointer: string): TextPosition => positionsOf(text, [pointer])[0]!;

/** Converts a line and column within a string value, such as an expression, to a position in the document. */
export function positionInside(text: string, pointer: string, { line, column }: TextPosition): TextPosition {
  const [start = 0] = offsetsOf(text, [pointer]);
  if (text[start] !== '"') return positionAt(text, start);
  let [at, position] = [start + 1, { line: 1, column: 1 }];
  while (at < text.length && text[at] !== '"' && (position.line < line || position.column < column)) {
    const width = text[at] !== '\\' ? 1 : text[at + 1] === 'u' ? 6 : 2;
    const feed = width === 2 && text[at + 1] === 'n';
    position = feed ? { line: position.line + 1, column: 1 } : { line: position.line, column: position.column + 1 };
    at += width;
  }
  return positionAt(text, at);
}

const positionAt = (text: string, offset: number): TextPosition => linesAt(text, [offset])[0]!;

function linesAt(text: string, offsets: readonly number[]): TextPosition[] {
  const positions: TextPosition[] = [];
  let [line, begin, end] = [1, 0, text.indexOf('\n')];
  const ordered = offsets.map((offset, n) => ({ offset, n })).toSorted((a, b) => a.offset - b.offset);
  for (const { offset, n } of ordered) {
    for (; end >= 0 && end < offset; end = text.indexOf('\n', begin)) {
      line += 1;
      begin = end + 1;
    }
    positions[n] = { line, column: offset - begin + 1 };
  }
  return positions;
}
