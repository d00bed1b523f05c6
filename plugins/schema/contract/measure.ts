/** Limits on the parsing cost of one document from an untrusted caller. */
export interface JsonLimits {
  /** Values in one document: the cost of parsing grows with their number and not with bytes. */
  json_values: number;
  /** Object members among these values; each costs ten times as much. */
  json_members: number;
  json_depth: number;
}

/** What a document has, as far as it was read: a limit that is exceeded ends the reading. */
export interface JsonMeasure {
  values: number;
  members: number;
  /** It has an escape that may be half of a surrogate pair. */
  surrogates: boolean;
  exceeded?: keyof JsonLimits;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What a byte outside of texts is for the measure: 0 for most. */
const [TEXT, VALUE, MEMBER, OPENS, CLOSES] = [1, 2, 3, 4, 5];
const KINDS = new Uint8Array(256);
for (const [byte, kind] of [
  [QUOTE, TEXT],
  [0x2c, VALUE],
  [0x3a, MEMBER],
  [0x5b, OPENS],
  [0x7b, OPENS],
  [0x5d, CLOSES],
  [0x7d, CLOSES],
])
  KINDS[byte!] = kind!;

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
  const { json_values, json_members, json_depth } = limits;
  // Long texts without escapes, which base64 is, are passed over at once.
  const escapes = raw.includes(BACKSLASH);
  const found: JsonMeasure = { values: 1, members: 0, surrogates: false };
  let depth = 0;
  for (let at = 0; at < raw.length; at++) {
    const kind = KINDS[raw[at]!];
    if (kind === 0) continue;
    if (kind === TEXT) at = escapes ? endOfText(raw, at, found) : endOfPlain(raw, at);
    else if (kind === VALUE) found.values++;
    else if (kind === MEMBER) found.members++;
    else if (kind === CLOSES) depth--;
    else {
      found.values++;
      if (++depth > json_depth) return { ...found, exceeded: 'json_depth' };
    }
    if (found.values > json_values) return { ...found, exceeded: 'json_values' };
    if (found.members > json_members) return { ...found, exceeded: 'json_members' };
  }
  return found;
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
