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

/** An object or array that is being read. */
interface Open {
  holder: Record<string, unknown> | unknown[];
  name: string;
  spelling: Spelling;
  names: string[];
}

/** Reads a text that JSON.parse takes. Of members with one name the last counts, as there. A loop: texts nest deeply. */
class Reader {
  readonly #text: string;
  readonly #open: Open[] = [];
  #at = 0;
  #whole: { value: unknown } | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads so many values more. Undefined: the text goes on. */
  read(most: number): { value: unknown } | undefined {
    for (let read = 0; read < most && this.#whole === undefined; read++) {
      const code = this.#code();
      if (code === OPEN_OBJECT || code === OPEN_ARRAY) this.#begin(code);
      else this.#put(this.#scalar(code));
    }
    return this.#whole;
  }

  #code(): number {
    this.#at = pastSpace(this.#text, this.#at);
    return this.#text.charCodeAt(this.#at);
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
    const name = Array.isArray(open.holder) ? open.holder.length : open.name;
    if (typeof value === 'number' && String(value) !== token)
      (open.spelling.numbers ??= new Map<string | number, string>()).set(name, token);
    else open.spelling.numbers?.delete(name);
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
    if ((spelling.numbers?.size ?? 0) > 0 || spelling.order !== undefined) keepSpelling(holder, spelling);
    return holder;
  }
}

/** As JSON.parse, and throws as it does, but no number and no order is lost. Throws `SyntaxError`. */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return losesByParse(text) ? readExact(text) : value;
}

/** The same for a text that JSON.parse took. */
export const readExact = (text: string): unknown => new Reader(text).read(Infinity)!.value;

/** Each takes about a microsecond. */
const VALUES_IN_TURN = 10_000;

/** The same, with `turn` between the parts of a long text. */
export async function readExactInTurns(text: string, turn: () => Promise<void>): Promise<unknown> {
  const reader = new Reader(text);
  for (;;) {
    const whole = reader.read(VALUES_IN_TURN);
    if (whole !== undefined) return whole.value;
    await turn();
  }
}
