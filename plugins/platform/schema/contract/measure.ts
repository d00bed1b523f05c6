import { isCanonicalNumber } from './exact-number.ts';

/** The limits of the cost of parsing one document from an untrusted caller. */
export interface JsonLimits {
  /** The maximum number of values: the cost of parsing grows with their number and not with the bytes. */
  json_values: number;
  /** The maximum number of object members among these values. Each of them costs ten times as much. */
  json_members: number;
  json_depth: number;
  /**
   * The maximum number of numbers that a double would not print as they are written, such as `1.0` or one of 20 digits. The text
   * of each is stored along with its value, which costs ten times as much. Unlimited by default.
   */
  json_exact?: number;
}

/** The counts of a document, up to the point at which a limit was exceeded. */
export interface JsonMeasure {
  values: number;
  members: number;
  exact: number;
  /** True when an escape may be half of a surrogate pair. */
  surrogates: boolean;
  /** True when there is no number and no name that JSON.parse could change. */
  canonical: boolean;
  exceeded?: keyof JsonLimits;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [MINUS, PLUS, POINT, ZERO, SPACE, COLON, SMALL_E] = [0x2d, 0x2b, 0x2e, 0x30, 0x20, 0x3a, 0x65];
/** A double prints decimals of up to this length as they are, unless they end in a zero or are very small. */
const CANONICAL_CHARACTERS = 15;
/** A decimal of at least this length may be below a millionth, which a double prints with an exponent. */
const SMALL_CHARACTERS = 9;

/** A double never prints a longer decimal: 1e-300 has fewer characters. */
const PRINTED_CHARACTERS = 26;

/** The kinds of bytes outside of strings. Most bytes have kind 0. */
const [TEXT, VALUE, MEMBER, OPENS, CLOSES, NUMBER] = [1, 2, 3, 4, 5, 6];
const KINDS = new Uint8Array(256);
for (const [byte, kind] of [
  [QUOTE, TEXT],
  [0x2c, VALUE],
  [0x3a, MEMBER],
  [0x5b, OPENS],
  [0x7b, OPENS],
  [0x5d, CLOSES],
  [0x7d, CLOSES],
  ...[...'-0123456789'].map((sign) => [sign.charCodeAt(0), NUMBER] as const),
] as const)
  KINDS[byte] = kind;

/** Matches `\uD800` to `\uDFFF`: in valid UTF-8, only such an escape can create a lone surrogate. */
function isSurrogateEscape(raw: Buffer, at: number): boolean {
  if (raw[at + 1] !== 0x75) return false;
  const high = raw[at + 2]! | 0x20;
  const low = raw[at + 3]! | 0x20;
  return high === 0x64 && (low === 0x38 || low === 0x39 || (low >= 0x61 && low <= 0x66));
}

/**
 * Measures the bytes of JSON before it is parsed, in one pass of about a nanosecond for each byte, and less for long strings. Its
 * limits bound the cost of parsing and of everything that is done with the value. For bytes that are not JSON, the result has no
 * meaning.
 */
export const measureJson = (raw: Buffer, limits: JsonLimits): JsonMeasure => new JsonMeasurer(raw, limits).read()!;

/** Measures JSON in several pieces. */
export class JsonMeasurer {
  readonly #raw: Buffer;
  readonly #limits: Required<JsonLimits>;
  readonly #has_escapes: boolean;
  readonly #measure: JsonMeasure = { values: 1, members: 0, exact: 0, surrogates: false, canonical: true };
  #at = 0;
  #depth = 0;

  constructor(raw: Buffer, limits: JsonLimits) {
    this.#raw = raw;
    this.#limits = { json_exact: Number.POSITIVE_INFINITY, ...limits };
    // Long strings without escapes, such as base64, are skipped at once.
    this.#has_escapes = raw.includes(BACKSLASH);
  }

  /** Measures about this many more bytes. Returns undefined when there is more to measure. */
  read(max_bytes = Number.POSITIVE_INFINITY): JsonMeasure | undefined {
    const [raw, measure, escapes] = [this.#raw, this.#measure, this.#has_escapes];
    const { json_values, json_members, json_depth, json_exact } = this.#limits;
    const until = Math.min(raw.length, this.#at + max_bytes);
    let [at, depth] = [this.#at, this.#depth];
    for (; at < until; at++) {
      const kind = KINDS[raw[at]!];
      if (kind === 0) continue;
      if (kind === TEXT) at = skipText(raw, at, escapes, measure);
      else if (kind === NUMBER) at = skipNumber(raw, at, measure);
      else if (kind === VALUE) measure.values++;
      else if (kind === MEMBER) measure.members++;
      else if (kind === CLOSES) depth--;
      else {
        measure.values++;
        if (++depth > json_depth) return { ...measure, exceeded: 'json_depth' };
      }
      if (measure.values > json_values) return { ...measure, exceeded: 'json_values' };
      if (measure.members > json_members) return { ...measure, exceeded: 'json_members' };
      if (measure.exact > json_exact) return { ...measure, exceeded: 'json_exact' };
    }
    [this.#at, this.#depth] = [at, depth];
    return at < raw.length ? undefined : measure;
  }
}

/** Skips to the closing quote of the string that begins here. */
function skipText(raw: Buffer, from: number, escapes: boolean, measure: JsonMeasure): number {
  const end = escapes ? endOfText(raw, from, measure) : endOfUnescaped(raw, from);
  if (KINDS[raw[from + 1]!] === NUMBER && KINDS[raw[end - 1]!] === NUMBER) measure.canonical &&= !isName(raw, end);
  return end;
}

/** Skips to the last byte of the number that begins here. */
function skipNumber(raw: Buffer, from: number, measure: JsonMeasure): number {
  const end = endOfNumber(raw, from);
  if (!isCanonical(raw, from, end)) {
    measure.canonical = false;
    // A number that may change is examined closely, so that ordinary decimals do not count.
    if (isSurelyChanged(raw, from, end) || !isCanonicalNumber(raw.toString('latin1', from, end))) measure.exact++;
  }
  return end - 1;
}

function endOfNumber(raw: Buffer, from: number): number {
  let at = from;
  while (KINDS[raw[at]!] === NUMBER || raw[at] === POINT || raw[at] === PLUS || isExponent(raw[at]!)) at++;
  return at;
}

const isExponent = (byte: number): boolean => (byte | 0x20) === SMALL_E;

/** Returns true only if a double surely prints this number as it is written. Some false answers are wrong. */
function isCanonical(raw: Buffer, from: number, end: number): boolean {
  if (end - from > CANONICAL_CHARACTERS) return false;
  const first = raw[from] === MINUS ? from + 1 : from;
  let point = false;
  for (let at = first; at < end; at++) {
    if (isExponent(raw[at]!)) return false;
    point ||= raw[at] === POINT;
  }
  if (!point) return first === from || raw[first] !== ZERO;
  return raw[end - 1] !== ZERO && (raw[first] !== ZERO || end - first < SMALL_CHARACTERS);
}

/** Returns true only if a double surely prints this number differently. Many false answers are wrong. */
function isSurelyChanged(raw: Buffer, from: number, end: number): boolean {
  // A double prints at most 17 digits, and before them a sign, a point and seven zeros.
  if (end - from > PRINTED_CHARACTERS) return true;
  let point = false;
  for (let at = from; at < end; at++) {
    // A double prints the sign of every exponent.
    if (isExponent(raw[at]!)) return raw[at + 1] !== PLUS && raw[at + 1] !== MINUS;
    point ||= raw[at] === POINT;
  }
  return raw[end - 1] === ZERO && (point || (end - from === 2 && raw[from] === MINUS));
}

/** Tells whether the string that ends here is the name of a member. */
function isName(raw: Buffer, end: number): boolean {
  let at = end + 1;
  while (raw[at]! <= SPACE) at++;
  return raw[at] === COLON;
}

function endOfUnescaped(raw: Buffer, from: number): number {
  const end = raw.indexOf(QUOTE, from + 1);
  return end < 0 ? raw.length : end;
}

function endOfText(raw: Buffer, from: number, measure: JsonMeasure): number {
  for (let at = from + 1; at < raw.length; at++) {
    const byte = raw[at]!;
    if (byte === QUOTE) return at;
    if (byte !== BACKSLASH) continue;
    measure.surrogates ||= isSurrogateEscape(raw, at);
    at++;
  }
  return raw.length;
}

/** True when JSON nests deeper than the limit. */
export const jsonNestsDeeper = (raw: Buffer, levels: number): boolean =>
  measureJson(raw, {
    json_values: Number.POSITIVE_INFINITY,
    json_members: Number.POSITIVE_INFINITY,
    json_depth: levels,
  }).exceeded !== undefined;

/** True when a value nests deeper than `levels` arrays and objects. It never looks deeper than that. */
export function nestsTooDeep(value: unknown, levels = 100): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => nestsTooDeep(member, levels - 1));
}
