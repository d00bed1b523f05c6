/*
 * JSON whose numbers stay what they are. JSON.parse makes a double of each, and sorts members whose names are whole
 * numbers. A text of which it would change something is read here, every other by JSON.parse; JSON.stringify writes both
 * as they were. Runs in a browser too.
 */
import { ExactNumber, isPlainNumber, keepsExact, numberOf } from './exact-number.ts';
import { keepSpelling, type Spelling } from './spelling.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const COLON = 0x3a;
const COMMA = 0x2c;
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const NUMBER = /[-+.\deE]+/y;
const SPACE = /[ \t\n\r]+/y;
/** Names that objects sort before all others. A few that they do not are here too, such as 4294967295. */
const INDEX = /^(?:0|[1-9]\d{0,9})$/;
const MOST_INDEX_CHARACTERS = 10;
/** So many digits alone are the number that they are as a double. */
const SAFE_DIGITS = 15;

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** The closing quote of the text that begins here. */
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

function past(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

const pastSpace = (text: string, from: number): number =>
  text.charCodeAt(from) > 0x20 ? from : past(SPACE, text, from);

function isIndexName(text: string, from: number, end: number): boolean {
  if (end - from - 1 > MOST_INDEX_CHARACTERS || !INDEX.test(text.slice(from + 1, end))) return false;
  return text.charCodeAt(pastSpace(text, end + 1)) === COLON;
}

/** Where the digits that begin here end; more follows when it is no short whole number. */
function endOfDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

/** Whether JSON.parse would change something of a JSON text. One pass of about a nanosecond a character. */
export function losesByParse(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfText(text, at);
      if (isDigit(text.charCodeAt(at + 1)) && isIndexName(text, at, end)) return true;
      at = end;
    } else if (isDigit(code) || code === MINUS) {
      const digits = endOfDigits(text, at);
      const end = past(NUMBER, text, digits);
      if ((end > digits || digits - at > SAFE_DIGITS) && !isPlainNumber(text.slice(at, end))) return true;
      at = end - 1;
    }
  }
  return false;
}

const [POINT, PLUS, ZERO, SMALL_E] = [0x2e, 0x2b, 0x30, 0x65];
/** An exponent of more may lead out of what doubles hold. */
const EXPONENT_DIGITS = 2;

/**
 * Where the number that begins here ends; -1 for what is none, and for one that is so long that a double may not hold it: it has at
 * most 15 characters and two digits in its exponent.
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

/** Whether a double may print such a number in another way. */
function mayChange(text: string, from: number, end: number): boolean {
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

/** An object or array that is being read. */
interface Open {
  holder: Record<string, unknown> | unknown[];
  name: string;
  spelling: Spelling;
  names: string[];
}

/** Reads a text that JSON.parse takes. Of members with one name the last counts, as there. A loop: texts nest deeply. */
export class ExactReader {
  readonly #text: string;
  readonly #open: Open[] = [];
  #at = 0;
  #whole: { value: unknown } | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads on, about so many characters; undefined when there is more. */
  read(most = Number.POSITIVE_INFINITY): { value: unknown } | undefined {
    const until = this.#at + most;
    while (this.#at < until) {
      const code = this.#code();
      const numbers = code === OPEN_ARRAY ? this.#shortNumbers() : undefined;
      if (numbers !== undefined) this.#put(numbers);
      else if (code === OPEN_OBJECT || code === OPEN_ARRAY) this.#begin(code);
      else this.#put(this.#scalar(code));
      if (this.#whole !== undefined) break;
    }
    return this.#whole;
  }

  #code(): number {
    this.#at = pastSpace(this.#text, this.#at);
    return this.#text.charCodeAt(this.#at);
  }

  /**
   * An array of nothing but numbers that are doubles, however they are written: JSON.parse reads it, and its text says how they
   * are written. Undefined when something else is in it.
   */
  #shortNumbers(): number[] | undefined {
    const from = this.#at;
    let at = pastSpace(this.#text, from + 1);
    let changed = false;
    for (;;) {
      const end = endOfShort(this.#text, at);
      if (end < 0) return undefined;
      changed ||= mayChange(this.#text, at, end);
      at = pastSpace(this.#text, end);
      if (this.#text.charCodeAt(at) === CLOSE_ARRAY) break;
      at = pastSpace(this.#text, at + 1);
    }
    this.#at = at + 1;
    const source = this.#text.slice(from, this.#at);
    const numbers = JSON.parse(source) as number[];
    if (changed) keepSpelling(numbers, { source });
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
    this.#at = past(NUMBER, this.#text, from);
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
    const spelt = typeof value === 'number' && String(value) !== token;
    if (Array.isArray(holder)) {
      if (spelt) (spelling.items ??= [])[holder.length] = token;
    } else if (spelt) (spelling.numbers ??= new Map()).set(name, token);
    else spelling.numbers?.delete(name);
    return value;
  }

  /** A value that was read goes where it belongs; ends what ends behind it. */
  #put(given: unknown): void {
    let value = given;
    for (let open = this.#open.at(-1); open !== undefined; open = this.#open.at(-1)) {
      const { holder, name } = open;
      keepsExact(holder, value);
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
    this.#whole = { value };
  }

  #end(): object {
    this.#at++;
    const { holder, spelling, names } = this.#open.pop()!;
    const sorted = Array.isArray(holder) ? [] : Object.keys(holder);
    if (sorted.some((name, at) => name !== names[at])) spelling.order = names;
    const spelt = spelling.items !== undefined || (spelling.numbers?.size ?? 0) > 0;
    if (spelt || spelling.order !== undefined) keepSpelling(holder, spelling);
    return holder;
  }
}

/** As JSON.parse, and throws as it does, but no number and no order is lost. Throws `SyntaxError`. */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return losesByParse(text) ? readExact(text) : value;
}

/** The same for a text that JSON.parse took. */
export const readExact = (text: string): unknown => new ExactReader(text).read()!.value;
