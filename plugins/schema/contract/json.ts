import { isUtf8 } from 'node:buffer';
import { Errors, type Fault, type ServiceError } from '../../../kernel/contracts/index.ts';
import { faultOffset } from './json-fault.ts';
import { pointerTo } from './pointer.ts';

/** Limits on the parsing cost of one document from an untrusted caller. */
export interface JsonLimits {
  /** Values in one document: the cost of parsing grows with their number and not with bytes. */
  json_values: number;
  /** Object members among these values; each costs ten times as much. 2 MiB of text cannot hold more. */
  json_members: number;
  json_depth: number;
}

export const JSON_LIMITS: JsonLimits = { json_values: 1_048_576, json_members: 262_144, json_depth: 100 };

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN = [0x5b, 0x7b];
const CLOSE = [0x5d, 0x7d];
const BYTE_ORDER_MARK = '\ufeff';

function refuse(detail: string, errors?: Fault[]): ServiceError {
  return Errors.invalidRequest(detail, errors ? { errors } : {});
}

/** `line 3, column 7`, counted in characters from 1. */
function placeOf(text: string, offset: number): string {
  let line = 1;
  let start = 0;
  for (let at = 0; at < offset; at++) {
    if (text.charCodeAt(at) !== LINE_FEED) continue;
    line++;
    start = at + 1;
  }
  return `line ${line}, column ${offset - start + 1}`;
}

/** `\uD800` to `\uDFFF`: only such an escape can create a lone surrogate in valid UTF-8. */
function isSurrogateEscape(raw: Buffer, at: number): boolean {
  if (raw[at + 1] !== 0x75) return false;
  const high = raw[at + 2]! | 0x20;
  const low = raw[at + 3]! | 0x20;
  return high === 0x64 && (low === 0x38 || low === 0x39 || (low >= 0x61 && low <= 0x66));
}

/**
 * One pass over the bytes before parsing: limits on nesting and the number of values bound the cost of parsing and
 * validating. Answers whether there was a surrogate escape.
 */
function measure(raw: Buffer, limits: JsonLimits): boolean {
  let inString = false;
  let surrogates = false;
  let depth = 0;
  let values = 1;
  let members = 0;
  for (let at = 0; at < raw.length; at++) {
    const byte = raw[at]!;
    if (inString) {
      if (byte === BACKSLASH) {
        surrogates ||= isSurrogateEscape(raw, at);
        at++;
      } else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === COMMA) values++;
    else if (byte === COLON) members++;
    else if (byte === OPEN[0] || byte === OPEN[1]) {
      values++;
      if (++depth > limits.json_depth) throw refuse(`the body nests deeper than ${limits.json_depth} levels`);
    } else if (byte === CLOSE[0] || byte === CLOSE[1]) depth--;
  }
  if (values > limits.json_values) throw refuse(`the body holds more than ${limits.json_values} values`);
  if (members > limits.json_members) throw refuse(`the body holds more than ${limits.json_members} members of objects`);
  return surrogates;
}

/** Pointer to the first lone surrogate below `value`. Recursion is safe because `measure` has bounded the depth. */
function loneSurrogate(value: unknown): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : '';
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const found = loneSurrogate(value[at]);
      if (found !== undefined) return `${pointerTo('', at)}${found}`;
    }
    return undefined;
  }
  for (const key of Object.keys(value)) {
    if (!key.isWellFormed()) return '';
    const found = loneSurrogate((value as Record<string, unknown>)[key]);
    if (found !== undefined) return `${pointerTo('', key)}${found}`;
  }
  return undefined;
}

/**
 * Parses JSON of untrusted bytes, or says why they are not JSON: invalid UTF-8 or wrong syntax. Throws
 * `invalid_request` with the place for content that no document may hold: nesting or values over the limits, and lone
 * surrogates (no database stores them). A `__proto__` member is an ordinary member.
 */
export function readJson(raw: Buffer, limits: JsonLimits = JSON_LIMITS): { value: unknown } | { not: string } {
  if (!isUtf8(raw)) return { not: 'the body is not valid UTF-8' };
  const surrogates = measure(raw, limits);
  const decoded = raw.toString('utf8');
  const text = decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(1) : decoded;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { offset, message } = faultOffset(text);
    return { not: `the body is not valid JSON: ${message} at ${placeOf(text, offset)}` };
  }
  const pointer = surrogates ? loneSurrogate(value) : undefined;
  if (pointer !== undefined)
    throw refuse('the body holds a lone surrogate', [{ pointer, message: 'must be well-formed Unicode' }]);
  return { value };
}

/** The same where only JSON is accepted: throws `invalid_request` for anything else too. */
export function parseJson(raw: Buffer, limits: JsonLimits = JSON_LIMITS): unknown {
  const read = readJson(raw, limits);
  if ('not' in read) throw refuse(read.not);
  return read.value;
}
