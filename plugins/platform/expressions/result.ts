import { celEnv, type CelValue, isCelType } from '@bufbuild/cel';
import { charge } from './meter.ts';
import { jsonOf } from './json-values.ts';
import { isCelList, isCelMap, isCelUint } from './values.ts';

const std = [...celEnv().funcs];

/** Formats a timestamp or a duration as `string(x)` does. */
export function timeText(value: CelValue): string {
  for (const func of std) {
    const text = func.name === 'string' ? func.call(0, undefined, [value]) : undefined;
    if (typeof text === 'string') return text;
  }
  throw new Error('the value cannot be written as JSON');
}

/**
 * Converts a CEL value to JSON. A value that was made from JSON becomes that JSON again. Integers beyond 2^53 become bigints,
 * doubles that JSON cannot express become texts, times and durations are written as CEL writes them, bytes become base64, and
 * types become their names. Throws when the value is too large.
 */
export function toJson(value: CelValue, text: (time: CelValue) => string): unknown {
  charge(1);
  if (typeof value === 'bigint') return integer(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object' || value === null) return value;
  const original = jsonOf(value);
  if (original !== undefined) return original;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (isCelList(value)) return [...value].map((item) => toJson(item, text));
  if (isCelMap(value))
    return Object.fromEntries([...value.entries()].map(([key, item]) => [keyText(key), toJson(item, text)]));
  if (isCelUint(value)) return integer(value.value);
  if (isCelType(value)) return value.name;
  return text(value);
}

const integer = (value: bigint): number | bigint =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;

const keyText = (key: unknown): string => String(isCelUint(key) ? key.value : key);
