/*
 * JSON whose numbers stay exactly as they are. JSON.parse converts each to a double, and sorts members whose names are
 * integers. A text that it would change is parsed here, and every other text by JSON.parse. JSON.stringify writes both as they
 * were. This runs in browsers too.
 */
import { ExactNumber, isCanonicalNumber, noteExactMember, numberOf } from './exact-number.ts';
import { attachSpelling, type Spelling } from './spelling.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const COLON = 0x3a;
const COMMA = 0x2c;
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const NUMBER = /[-+.\deE]+/y;
const SPACE = /[ \t\n\r]+/y;
/** Names that objects sort before all others. It also matches a few that they do not sort, such as 4294967295. */
const INDEX = /^(?:0|[1-9]\d{0,9})$/;
const MAX_INDEX_CHARACTERS = 10;
/** Integers of up to this many digits are exact as doubles. */
const SAFE_DIGITS = 15;

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** Returns the closing quote of the string that begins here. */
function endOfText(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (end > 0 && text.charCodeAt(end - 1) === BACKSLASH && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, quote: number): boolean {
  let at = quote - 1;
  while (text.charCodeAt(at) === BACKSLASH) at--;
  return (quote - at) % 2 === 0;
}

function matchEnd(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

const skipSpace = (text: string, from: number): number =>
  text.charCodeAt(from) > 0x20 ? from : matchEnd(SPACE, text, from);

function isIndexName(text: string, from: number, end: number): boolean {
  if (end - from - 1 > MAX_INDEX_CHARACTERS || !INDEX.test(text.slice(from + 1, end))) return false;
  return text.charCodeAt(skipSpace(text, end + 1)) === COLON;
}

/** Returns where the digits that begin here end. */
function endOfDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

/** Tells whether JSON.parse would lose anything of a JSON text. Takes about a nanosecond for each character. */
export function isLossy(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfText(text, at);
      if (isDigit(text.charCodeAt(at + 1)) && isIndexName(text, at, end)) return true;
      at = end;
    } else if (isDigit(code) || code === MINUS) {
      const digits = endOfDigits(text, at);
      const end = matchEnd(NUMBER, text, digits);
      if ((end > digits || digits - at > SAFE_DIGITS) && !isCanonicalNumber(text.slice(at, end))) return true;
      at = end - 1;
    }
  }
  return false;
}

const [POINT, PLUS, ZERO, SMALL_E] = [0x2e, 0x2b, 0x30, 0x65];
/** Longer exponents may exceed the range of doubles. */
const EXPONENT_DIGITS = 2;

/**
 * Returns where the number that begins here ends; -1 for anything else, and for a number that a double may not represent
 * exactly: one with more than 15 characters or two digits of exponent.
 */
function endOfShort(text: string, from: number): number {
  let at = from;
  let exponent = 0;
  for (; ; at++) {
    const code = text.charCodeAt(at);
    if (isDigit(code) || code === MINUS || code === POINT || code === PLUS) continue;
    if ((code | 0x20) !== SMALL_E || at === from) break;
    const signed = text.charCodeAt(at + 1) === MINUS || text.charCodeAt(at + 1) === PLUS;
    exponent = at + (signed ? 2 : 1);
  }
  if (at === from || at - from > SAFE_DIGITS) return -1;
  return exponent > 0 && at - exponent > EXPONENT_DIGITS ? -1 : at;
}

/** Tells whether a double may print such a number differently. */
function mayReformat(text: string, from: number, end: number): boolean {
  const first = text.charCodeAt(from) === MINUS ? from + 1 : from;
  const last = text.charCodeAt(end - 1);
  let point = false;
  for (let at = first; at < end; at++) {
    const code = text.charCodeAt(at);
    if ((code | 0x20) === SMALL_E) return true;
    point ||= code === POINT;
  }
  if (!point) return first > from && last === ZERO && end - first === 1;
  // Below a millionth a double prints an exponent.
  return last === ZERO || (text.charCodeAt(first) === ZERO && end - first > 8);
}

/** Arrays of numbers of up to this many characters are parsed at once, which takes about 20 ms. */
const MAX_AT_ONCE = 2 * 1024 * 1024;

/** An object or array that is being read. */
interface OpenContainer {
  holder: Record<string, unknown> | unknown[];
  name: string;
  spelling: Spelling;
  names: string[];
}

/**
 * Parses a text that JSON.parse accepts. As there, the last of several members with the same name wins. It is a loop and not
 * recursive, because texts may be nested deeply.
 */
export class ExactReader {
  readonly #text: string;
  readonly #open: OpenContainer[] = [];
  #at = 0;
  #result: { value: unknown } | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Parses about `most` more characters. Returns undefined when there is more to parse. */
  read(max_characters = Number.POSITIVE_INFINITY): { value: unknown } | undefined {
    const until = this.#at + max_characters;
    while (this.#at < until) {
      const code = this.#code();
      const numbers = code === OPEN_ARRAY ? this.#shortNumbers() : undefined;
      if (numbers !== undefined) this.#put(numbers);
      else if (code === OPEN_OBJECT || code === OPEN_ARRAY) this.#begin(code);
      else this.#put(this.#scalar(code));
      if (this.#result !== undefined) break;
    }
    return this.#result;
  }

  #code(): number {
    this.#at = skipSpace(this.#text, this.#at);
    return this.#text.charCodeAt(this.#at);
  }

  /**
   * Parses an array that contains nothing but doubles with JSON.parse, and keeps its text as their spelling. Returns undefined for
   * any other array, and for one that is so long that its numbers are parsed in several pieces.
   */
  #shortNumbers(): number[] | undefined {
    const from = this.#at;
    let at = skipSpace(this.#text, from + 1);
    let changed = false;
    for (;;) {
      const end = endOfShort(this.#text, at);
      if (end < 0 || end - from > MAX_AT_ONCE) return undefined;
      changed ||= mayReformat(this.#text, at, end);
      at = skipSpace(this.#text, end);
      if (this.#text.charCodeAt(at) === CLOSE_ARRAY) break;
      at = skipSpace(this.#text, at + 1);
    }
    this.#at = at + 1;
    const source = this.#text.slice(from, this.#at);
    const numbers = JSON.parse(source) as number[];
    if (changed) attachSpelling(numbers, { source });
    return numbers;
  }

  #begin(code: number): void {
    this.#at++;
    this.#open.push({ holder: code === OPEN_OBJECT ? {} : [], name: '', spelling: {}, names: [] });
    const next = this.#code();
    if (next === CLOSE_OBJECT || next === CLOSE_ARRAY) this.#put(this.#end());
    else if (code === OPEN_OBJECT) this.#name();
  }

  #name(): void {
    this.#code();
    const open = this.#open.at(-1)!;
    open.name = this.#textHere();
    this.#code();
    this.#at++;
    if (!Object.hasOwn(open.holder, open.name)) open.names.push(open.name);
  }

  #textHere(): string {
    const from = this.#at;
    const end = endOfText(this.#text, from);
    this.#at = end + 1;
    const inside = this.#text.slice(from + 1, end);
    return inside.includes('\\') ? (JSON.parse(this.#text.slice(from, end + 1)) as string) : inside;
  }

  #scalar(code: number): unknown {
    if (code === QUOTE) return this.#textHere();
    if (code !== MINUS && !isDigit(code)) return this.#word(code);
    const from = this.#at;
    this.#at = matchEnd(NUMBER, this.#text, from);
    return this.#number(this.#text.slice(from, this.#at));
  }

  #word(code: number): boolean | null {
    const word = code === 0x74 ? true : code === 0x66 ? false : null;
    this.#at += word === false ? 5 : 4;
    return word;
  }

  #number(token: string): unknown {
    const value = numberOf(token);
    const open = this.#open.at(-1);
    if (open === undefined) return String(value) === token ? value : new ExactNumber(token);
    const { holder, name, spelling } = open;
    const is_respelled = typeof value === 'number' && String(value) !== token;
    if (Array.isArray(holder)) {
      if (is_respelled) (spelling.items ??= [])[holder.length] = token;
    } else if (is_respelled) (spelling.numbers ??= new Map()).set(name, token);
    else spelling.numbers?.delete(name);
    return value;
  }

  /** Stores a parsed value in its container, and closes every container that ends after it. */
  #put(parsed: unknown): void {
    let value = parsed;
    for (let open = this.#open.at(-1); open !== undefined; open = this.#open.at(-1)) {
      const { holder, name } = open;
      noteExactMember(holder, value);
      if (Array.isArray(holder)) holder.push(value);
      else if (name !== '__proto__') holder[name] = value;
      else Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
      if (this.#code() === COMMA) {
        this.#at++;
        if (!Array.isArray(holder)) this.#name();
        return;
      }
      value = this.#end();
    }
    this.#result = { value };
  }

  #end(): object {
    this.#at++;
    const { holder, spelling, names } = this.#open.pop()!;
    const sorted = Array.isArray(holder) ? [] : Object.keys(holder);
    if (sorted.some((name, at) => name !== names[at])) spelling.order = names;
    const has_spelling = spelling.items !== undefined || (spelling.numbers?.size ?? 0) > 0;
    if (has_spelling || spelling.order !== undefined) attachSpelling(holder, spelling);
    return holder;
  }
}

/** Like JSON.parse, but loses neither the value of a number nor the order of members. Throws `SyntaxError`. */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return isLossy(text) ? readExact(text) : value;
}

/** Parses a text that JSON.parse has accepted. */
export const readExact = (text: string): unknown => new ExactReader(text).read()!.value;
