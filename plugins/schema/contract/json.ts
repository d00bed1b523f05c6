import { isUtf8 } from 'node:buffer';
import { Errors, type Fault, type ServiceError, yieldToEventLoop } from '../../../kernel/contracts/index.ts';
import { losesByParse, readExact, readExactInTurns } from './exact-json.ts';
import { faultOffset } from './json-fault.ts';
import { type JsonLimits, type JsonMeasure, measureJson } from './measure.ts';
import { pointerTo } from './pointer.ts';

/**
 * So many members are parsed, checked, written and read again in less than 100 ms each; a push of a forge with 2,000
 * commits has fewer. Of numbers that a double does not print as they are written there may be as many as 2 MiB hold, because any
 * JSON is a payload: a body of nothing else takes 0.3 s for each MiB.
 */
export const JSON_LIMITS: JsonLimits = {
  json_values: 1_048_576,
  json_members: 50_000,
  json_depth: 100,
  json_exact: 700_000,
};

const LINE_FEED = 0x0a;
/** In longer texts the place of a fault is not looked for: that takes longer than all the rest. */
const MAX_PLACED = 2 * 1024 * 1024;
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

const SAID: Readonly<Record<keyof JsonLimits, (limit: number) => string>> = {
  json_depth: (limit) => `nests deeper than ${limit} levels`,
  json_values: (limit) => `holds more than ${limit} values`,
  json_members: (limit) => `holds more than ${limit} members of objects`,
  json_exact: (limit) =>
    `holds more than ${limit} numbers that a double does not print as they are written (1.0, 1e5, more than 17 digits); write them shorter, or as texts`,
};

/** Measures JSON before it is parsed. Throws `invalid_request` with the limit that it exceeds; `what` names it. */
export function checkedMeasure(raw: Buffer, limits: JsonLimits, what = 'the body'): JsonMeasure {
  const measure = measureJson(raw, limits);
  const { exceeded } = measure;
  if (exceeded !== undefined) throw refuse(`${what} ${SAID[exceeded](limits[exceeded]!)}`);
  return measure;
}

/** Pointer to the first lone surrogate below `value`. Recursion is safe because the depth is bounded. */
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

/** A text that JSON.parse took. */
interface Parsed {
  text: string;
  value: unknown;
  /** JSON.parse has changed something of it. */
  loses: boolean;
  /** It may hold lone surrogates. */
  surrogates: boolean;
}

function parsed(raw: Buffer, limits: JsonLimits): Parsed | { not: string } {
  if (!isUtf8(raw)) return { not: 'the body is not valid UTF-8' };
  const { surrogates, plain } = checkedMeasure(raw, limits);
  const decoded = raw.toString('utf8');
  const text = decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(1) : decoded;
  try {
    return { text, value: JSON.parse(text), loses: !plain && losesByParse(text), surrogates };
  } catch {
    if (text.length > MAX_PLACED) return { not: 'the body is not valid JSON' };
    const { offset, message } = faultOffset(text);
    return { not: `the body is not valid JSON: ${message} at ${placeOf(text, offset)}` };
  }
}

function wellFormed(value: unknown, surrogates: boolean): unknown {
  const pointer = surrogates ? loneSurrogate(value) : undefined;
  if (pointer === undefined) return value;
  throw refuse('the body holds a lone surrogate', [{ pointer, message: 'must be well-formed Unicode' }]);
}

/**
 * Parses JSON of untrusted bytes, or says why they are not JSON: invalid UTF-8 or wrong syntax. Throws
 * `invalid_request` with the place for content that no document may hold: nesting or values over the limits, and lone
 * surrogates (no database stores them). A `__proto__` member is an ordinary member. Numbers are exact, as `parseExact` has
 * them.
 */
export function readJson(raw: Buffer, limits: JsonLimits = JSON_LIMITS): { value: unknown } | { not: string } {
  const read = parsed(raw, limits);
  if ('not' in read) return read;
  const { text, value, loses, surrogates } = read;
  return { value: wellFormed(loses ? readExact(text) : value, surrogates) };
}

/** The same where only JSON is accepted: throws `invalid_request` for anything else too. */
export function parseJson(raw: Buffer, limits: JsonLimits = JSON_LIMITS): unknown {
  const read = readJson(raw, limits);
  if ('not' in read) throw refuse(read.not);
  return read.value;
}

/** The same. Other work goes on while many numbers are read exactly. */
export async function parseJsonInTurns(raw: Buffer, limits: JsonLimits = JSON_LIMITS): Promise<unknown> {
  const read = parsed(raw, limits);
  if ('not' in read) throw refuse(read.not);
  const { text, value, loses, surrogates } = read;
  return wellFormed(loses ? await readExactInTurns(text, yieldToEventLoop) : value, surrogates);
}
