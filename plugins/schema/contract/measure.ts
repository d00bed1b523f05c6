import { isPlainNumber } from './exact-number.ts';

/** Limits on the parsing cost of one document from an untrusted caller. */
export interface JsonLimits {
  /** Values in one document: the cost of parsing grows with their number and not with bytes. */
  json_values: number;
  /** Object members among these values; each costs ten times as much. */
  json_members: number;
  json_depth: number;
  /**
   * Numbers among these values that a double would not print as they are written, such as `1.0` and 20 digits: each is kept
   * beside its value, which costs ten times as much. Absent: any number of them.
   */
  json_exact?: number;
}

/** What a document has, as far as it was read: a limit that is exceeded ends the reading. */
export interface JsonMeasure {
  values: number;
  members: number;
  exact: number;
  /** It has an escape that may be half of a surrogate pair. */
  surrogates: boolean;
  /** It has no number and no name that JSON.parse could change. */
  plain: boolean;
  exceeded?: keyof JsonLimits;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [MINUS, PLUS, POINT, ZERO, SPACE, COLON, SMALL_E] = [0x2d, 0x2b, 0x2e, 0x30, 0x20, 0x3a, 0x65];
/** A decimal of so many characters is what a double prints, unless it ends in a zero or is very small. */
const PLAIN_CHARACTERS = 15;
/** From so many characters on a decimal may be below a millionth: there a double prints an exponent. */
const SMALL_CHARACTERS = 9;

/** A double prints no decimal that is longer: 1e-300 has fewer characters. */
const PRINTED_CHARACTERS = 26;

/** What a byte outside of texts is for the measure: 0 for most. */
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

/** `\uD800` to `\uDFFF`: only such an escape can create a lone surrogate in valid UTF-8. */
function isSurrogateEscape(raw: Buffer, at: number): boolean {
  if (raw[at + 1] !== 0x75) return false;
  const high = raw[at + 2]! | 0x20;
  const low = raw[at + 3]! | 0x20;
  return high === 0x64 && (low === 0x38 || low === 0x39 || (low >= 0x61 && low <= 0x66));
}

/**
 * One pass over the bytes of JSON before it is parsed, about a nanosecond a byte and less for long texts: what it bounds
 * bounds the cost of parsing and of all that is done with the value. Of bytes that are no JSON it says anything.
 */
export function measureJson(raw: Buffer, limits: JsonLimits): JsonMeasure {
  const { json_values, json_members, json_depth, json_exact = Number.POSITIVE_INFINITY } = limits;
  // Long texts without escapes, which base64 is, are passed over at once.
  const escapes = raw.includes(BACKSLASH);
  const found: JsonMeasure = { values: 1, members: 0, exact: 0, surrogates: false, plain: true };
  let depth = 0;
  for (let at = 0; at < raw.length; at++) {
    const kind = KINDS[raw[at]!];
    if (kind === 0) continue;
    if (kind === TEXT) at = passText(raw, at, escapes, found);
    else if (kind === NUMBER) at = passNumber(raw, at, found);
    else if (kind === VALUE) found.values++;
    else if (kind === MEMBER) found.members++;
    else if (kind === CLOSES) depth--;
    else {
      found.values++;
      if (++depth > json_depth) return { ...found, exceeded: 'json_depth' };
    }
    if (found.values > json_values) return { ...found, exceeded: 'json_values' };
    if (found.members > json_members) return { ...found, exceeded: 'json_members' };
    if (found.exact > json_exact) return { ...found, exceeded: 'json_exact' };
  }
  return found;
}

/** The closing quote of the text that begins here. */
function passText(raw: Buffer, from: number, escapes: boolean, found: JsonMeasure): number {
  const end = escapes ? endOfText(raw, from, found) : endOfPlain(raw, from);
  if (KINDS[raw[from + 1]!] === NUMBER && KINDS[raw[end - 1]!] === NUMBER) found.plain &&= !isName(raw, end);
  return end;
}

/** The last byte of the number that begins here. */
function passNumber(raw: Buffer, from: number, found: JsonMeasure): number {
  const end = endOfNumber(raw, from);
  if (!isPlain(raw, from, end)) {
    found.plain = false;
    // What only may be changed is looked at closely, so that ordinary decimals do not count.
    if (isSurelyChanged(raw, from, end) || !isPlainNumber(raw.toString('latin1', from, end))) found.exact++;
  }
  return end - 1;
}

function endOfNumber(raw: Buffer, from: number): number {
  let at = from;
  while (KINDS[raw[at]!] === NUMBER || raw[at] === POINT || raw[at] === PLUS || isExponent(raw[at]!)) at++;
  return at;
}

const isExponent = (byte: number): boolean => (byte | 0x20) === SMALL_E;

/** Whether a double surely prints this number as it stands here; of some that it prints this says no. */
function isPlain(raw: Buffer, from: number, end: number): boolean {
  if (end - from > PLAIN_CHARACTERS) return false;
  const first = raw[from] === MINUS ? from + 1 : from;
  let point = false;
  for (let at = first; at < end; at++) {
    if (isExponent(raw[at]!)) return false;
    point ||= raw[at] === POINT;
  }
  if (!point) return first === from || raw[first] !== ZERO;
  return raw[end - 1] !== ZERO && (raw[first] !== ZERO || end - first < SMALL_CHARACTERS);
}

/** Whether a double surely prints this number in another way; of many that it prints so this says no. */
function isSurelyChanged(raw: Buffer, from: number, end: number): boolean {
  // A double prints at most 17 digits, and before them a sign, a point and seven zeros.
  if (end - from > PRINTED_CHARACTERS) return true;
  let point = false;
  for (let at = from; at < end; at++) {
    // It writes the sign of each exponent.
    if (isExponent(raw[at]!)) return raw[at + 1] !== PLUS && raw[at + 1] !== MINUS;
    point ||= raw[at] === POINT;
  }
  return raw[end - 1] === ZERO && (point || (end - from === 2 && raw[from] === MINUS));
}

/** Whether the text that ends here is the name of a member. */
function isName(raw: Buffer, end: number): boolean {
  let at = end + 1;
  while (raw[at]! <= SPACE) at++;
  return raw[at] === COLON;
}

function endOfPlain(raw: Buffer, from: number): number {
  const end = raw.indexOf(QUOTE, from + 1);
  return end < 0 ? raw.length : end;
}

function endOfText(raw: Buffer, from: number, found: JsonMeasure): number {
  for (let at = from + 1; at < raw.length; at++) {
    const byte = raw[at]!;
    if (byte === QUOTE) return at;
    if (byte !== BACKSLASH) continue;
    found.surrogates ||= isSurrogateEscape(raw, at);
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

/** True when a value nests deeper than so many arrays and objects. It looks no deeper itself. */
export function nestsTooDeep(value: unknown, levels = 100): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => nestsTooDeep(member, levels - 1));
}
