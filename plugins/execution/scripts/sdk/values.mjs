import { misused } from './errors.mjs';
import { readJson, writeJson } from './numbers.mjs';

/** Throws for an option that `what` does not have, which would have no effect. */
export function checkOptions(what, options, names) {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw misused(`the options of ${what} must be an object with ${names.join(', ')}`);
  const surplus = Object.keys(options).find((name) => !names.includes(name));
  if (surplus !== undefined)
    throw misused(`unknown option ${JSON.stringify(surplus)} of ${what}; use ${names.join(', ')}`);
}

/** More of an output is neither kept nor sent. The service refuses what is larger by how much it is over. */
export const OUTPUT_BYTES = 2 * 1024 * 1024;
const MAX_REASON_LENGTH = 16_000;
const MAY_BE_JSON = /^[ \t\n\r]*[-0-9"[{tfn]/;
const HALF_A_CHARACTER = /\p{Surrogate}/u;

function isJson(text) {
  if (!MAY_BE_JSON.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * The bytes that are recorded of a result: nothing for undefined, a text as `echo` would print it, and everything else
 * as a line of JSON. A text that would be read as JSON (`5`, `true`, `{}`) is written as JSON too, in quotes.
 */
export function encodeResult(value) {
  if (value === undefined) return Buffer.alloc(0);
  if (typeof value === 'string' && !isJson(value) && !HALF_A_CHARACTER.test(value)) return Buffer.from(`${value}\n`);
  if (value instanceof Uint8Array || value instanceof ArrayBuffer)
    throw misused('a step cannot return bytes: return a string, for example base64');
  const json = writeJson(value);
  if (json === undefined) throw misused(`a ${typeof value} cannot be a step's result: it must be JSON`);
  return Buffer.from(`${json}\n`);
}

/** What `encodeResult` wrote, or a command: JSON where it is, else the text without its last line end. */
export function decodeResult(bytes) {
  if (bytes.length === 0) return undefined;
  const text = withoutLineEnd(bytes);
  if (!MAY_BE_JSON.test(text)) return text;
  try {
    return readJson(text);
  } catch {
    return text;
  }
}

export function withoutLineEnd(bytes) {
  const text = bytes.toString('utf8');
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** `TypeError: x is not a function`, of whatever was thrown, as a text that can be recorded. */
export function reasonOf(error) {
  let text;
  try {
    text = String(error);
  } catch {
    text = 'an error without a message';
  }
  // Through UTF-8, so that halves of characters are mended here as they would be on the way.
  return Buffer.from(text.slice(0, MAX_REASON_LENGTH)).toString().replaceAll('\0', '\ufffd');
}

/** The exit code that an error asks for with `exitCode`, else 1. */
export function exitCodeOf(error) {
  const code = error?.exitCode;
  return Number.isInteger(code) && code > 0 && code < 256 ? code : 1;
}

/** `90s` as it is, milliseconds as `1500ms` or `2s`. */
export function durationText(value, what) {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && value >= 0 && Number.isFinite(value)) {
    const ms = Math.ceil(value);
    return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
  }
  throw misused(`${what} must be a duration such as "5s" or "1h30m", or a number of milliseconds`);
}

const UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
const DURATION = /^(?=\d)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?$/;

/** The milliseconds of `1h30m`, or of a number of them. */
export function millisecondsOf(duration, what = 'timeout') {
  const found = DURATION.exec(durationText(duration, what));
  if (found === null) throw misused(`${what} must be a duration such as "5s" or "1h30m", or a number of milliseconds`);
  return Object.values(UNITS).reduce((sum, unit_ms, i) => sum + Number(found[i + 1] ?? 0) * unit_ms, 0);
}
