import { isUtf8 } from 'node:buffer';
import { Errors, type Fault, type ServiceError } from '../../../../kernel/contracts/index.ts';
import { ExactReader, isLossy, readExact } from './exact-json.ts';
import { findSyntaxError, type SyntaxProblem, SyntaxReader } from './json-syntax-error.ts';
import { type JsonLimits, type JsonMeasure, JsonMeasurer, measureJson } from './measure.ts';
import { pointerTo } from './pointer.ts';
import { runInPieces, yieldBeforePiece } from './yield-before-large.ts';

/**
 * This many members are parsed, validated, written and read again in less than 100 ms each; a forge's push of 2,000 commits has
 * fewer. `json_exact` allows as many numbers that a double does not print as they are written as fit into 2 MiB, because any
 * JSON can be a payload. Request bodies with many of them are parsed in several turns of the event loop (`parseJsonYielding`).
 */
export const JSON_LIMITS: JsonLimits = {
  json_values: 1_048_576,
  json_members: 50_000,
  json_depth: 100,
  json_exact: 700_000,
};

const LINE_FEED = 0x0a;
/** In longer texts the position of a syntax error is not computed, because that would take longer than everything else. */
const MAX_LOCATED = 2 * 1024 * 1024;
const BYTE_ORDER_MARK = '\ufeff';

function invalidRequest(detail: string, errors?: Fault[]): ServiceError {
  return Errors.invalidRequest(detail, errors ? { errors } : {});
}

/** Formats an offset as `line 3, column 7`, counted in characters from 1. */
function describePosition(text: string, offset: number): string {
  let line = 1;
  let start = 0;
  for (let at = 0; at < offset; at++) {
    if (text.charCodeAt(at) !== LINE_FEED) continue;
    line++;
    start = at + 1;
  }
  return `line ${line}, column ${offset - start + 1}`;
}

const LIMIT_MESSAGES: Readonly<Record<keyof JsonLimits, (limit: number) => string>> = {
  json_depth: (limit) => `nests deeper than ${limit} levels`,
  json_values: (limit) => `holds more than ${limit} values`,
  json_members: (limit) => `holds more than ${limit} members of objects`,
  json_exact: (limit) =>
    `holds more than ${limit} numbers that a double prints differently (1.0, 1e5, more than 17 digits); write them shorter, or as strings`,
};

/** Measures JSON before it is parsed. Throws `invalid_request` with the limit that it exceeds. `what` names the document. */
export const assertWithinLimits = (raw: Buffer, limits: JsonLimits, what = 'the body'): JsonMeasure =>
  assertMeasure(measureJson(raw, limits), limits, what);

function assertMeasure(measure: JsonMeasure, limits: JsonLimits, what: string): JsonMeasure {
  const { exceeded } = measure;
  if (exceeded !== undefined) throw invalidRequest(`${what} ${LIMIT_MESSAGES[exceeded](limits[exceeded]!)}`);
  return measure;
}

/** Returns a pointer to the first lone surrogate in `value`. Recursion is safe because the depth is bounded. */
function findLoneSurrogate(value: unknown): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : '';
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const pointer = findLoneSurrogate(value[at]);
      if (pointer !== undefined) return `${pointerTo('', at)}${pointer}`;
    }
    return undefined;
  }
  for (const key of Object.keys(value)) {
    if (!key.isWellFormed()) return '';
    const pointer = findLoneSurrogate((value as Record<string, unknown>)[key]);
    if (pointer !== undefined) return `${pointerTo('', key)}${pointer}`;
  }
  return undefined;
}

/**
 * Parses untrusted bytes as JSON, or returns why they are not JSON: invalid UTF-8 or invalid syntax. Throws `invalid_request`
 * with the position for content that no document may have: too much nesting, too many values, and lone surrogates, which no
 * database stores. `__proto__` is an ordinary member. Numbers are exact, as with `parseExact`.
 */
export function readJson(raw: Buffer, limits: JsonLimits = JSON_LIMITS): { value: unknown } | { not: string } {
  const parsed = parse(raw, limits);
  if ('not' in parsed) return parsed;
  const value = parsed.is_lossy ? readExact(parsed.text) : parsed.value;
  if (parsed.surrogates) checkSurrogates(value);
  return { value };
}

interface Parsed {
  text: string;
  /** The result of JSON.parse. */
  value: unknown;
  /** True when `value` differs from the text. */
  is_lossy: boolean;
  surrogates: boolean;
}

const NOT_UTF8 = { not: 'the body is not valid UTF-8' } as const;

function parse(raw: Buffer, limits: JsonLimits): Parsed | { not: string } {
  return isUtf8(raw) ? parseMeasured(raw, assertWithinLimits(raw, limits)) : NOT_UTF8;
}

function parseMeasured(raw: Buffer, { surrogates, canonical }: JsonMeasure): Parsed | { not: string } {
  const text = decode(raw);
  try {
    return { text, value: JSON.parse(text), is_lossy: !canonical && isLossy(text), surrogates };
  } catch {
    return invalidSyntax(text, text.length > MAX_LOCATED ? undefined : findSyntaxError(text));
  }
}

function decode(raw: Buffer): string {
  const decoded = raw.toString('utf8');
  return decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(1) : decoded;
}

function invalidSyntax(text: string, problem: SyntaxProblem | undefined): { not: string } {
  if (problem === undefined) return { not: 'the body is not valid JSON' };
  return { not: `the body is not valid JSON: ${problem.message} at ${describePosition(text, problem.offset)}` };
}

function checkSurrogates(value: unknown): void {
  const pointer = findLoneSurrogate(value);
  if (pointer !== undefined)
    throw invalidRequest('the body contains a lone surrogate', [{ pointer, message: 'must be well-formed Unicode' }]);
}

/** Like `readJson`, but throws `invalid_request` for anything that is not JSON. */
export function parseJson(raw: Buffer, limits: JsonLimits = JSON_LIMITS): unknown {
  const read = readJson(raw, limits);
  if ('not' in read) throw invalidRequest(read.not);
  return read.value;
}

/** Measuring or parsing this many characters takes about 20 ms for the costliest texts. */
const PIECE_CHARACTERS = 64 * 1024;
/**
 * JSON.parse reads a text of up to this size in one turn of the event loop. It takes 200 ms for 8 MiB of short strings that
 * differ.
 */
const MAX_PARSED_AT_ONCE = 2 * 1024 * 1024 + 64 * 1024;

/** JSON.parse reads this many values in about 20 ms, however many bytes their strings have. */
const MAX_VALUES_AT_ONCE = 100_000;

/**
 * Like `parseExact`, in as many turns as `parseJsonYielding`. A text with few values, such as one long string, is parsed at once,
 * whatever its size. Throws `invalid_request` at a limit, and `SyntaxError` for anything that is not JSON.
 */
export async function parseExactYielding(raw: Buffer, limits: JsonLimits, what: string): Promise<unknown> {
  const measurer = new JsonMeasurer(raw, limits);
  const measure = assertMeasure(await runInPieces(() => measurer.read(8 * PIECE_CHARACTERS)), limits, what);
  await yieldBeforePiece();
  const at_once = raw.length <= MAX_PARSED_AT_ONCE || measure.values <= MAX_VALUES_AT_ONCE;
  const read = await (at_once ? readMeasured(raw, measure) : readLarge(decode(raw)));
  if ('not' in read) throw new SyntaxError(read.not);
  return read.value;
}

/** Like `parseJson`, but handles a large text in several turns of the event loop. */
export async function parseJsonYielding(raw: Buffer, limits: JsonLimits = JSON_LIMITS): Promise<unknown> {
  const read = await readJsonYielding(raw, limits);
  if ('not' in read) throw invalidRequest(read.not);
  return read.value;
}

/** Like `readJson`, in as many turns as `parseJsonYielding`. */
export async function readJsonYielding(
  raw: Buffer,
  limits: JsonLimits = JSON_LIMITS,
): Promise<{ value: unknown } | { not: string }> {
  if (raw.length <= PIECE_CHARACTERS) return readJson(raw, limits);
  if (!isUtf8(raw)) return NOT_UTF8;
  const measurer = new JsonMeasurer(raw, limits);
  // A byte takes less time to measure than to parse.
  const measure = assertMeasure(await runInPieces(() => measurer.read(8 * PIECE_CHARACTERS)), limits, 'the body');
  await yieldBeforePiece();
  const read = await (raw.length > MAX_PARSED_AT_ONCE ? readLarge(decode(raw)) : readMeasured(raw, measure));
  if ('not' in read || !measure.surrogates) return read;
  await yieldBeforePiece();
  checkSurrogates(read.value);
  return read;
}

async function readMeasured(raw: Buffer, measure: JsonMeasure): Promise<{ value: unknown } | { not: string }> {
  const parsed = parseMeasured(raw, measure);
  if ('not' in parsed || !parsed.is_lossy) return parsed;
  await yieldBeforePiece();
  return readExactYielding(parsed.text);
}

async function readLarge(text: string): Promise<{ value: unknown } | { not: string }> {
  const syntax = new SyntaxReader(text);
  const problem = await runInPieces(() => syntax.read(PIECE_CHARACTERS));
  if (problem !== null) return invalidSyntax(text, undefined);
  await yieldBeforePiece();
  return readExactYielding(text);
}

async function readExactYielding(text: string): Promise<{ value: unknown }> {
  const reader = new ExactReader(text);
  const read = await runInPieces(() => reader.read(PIECE_CHARACTERS));
  await yieldBeforePiece();
  return read;
}
