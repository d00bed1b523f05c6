import { celEnv, type CelValue, isCelType } from '@bufbuild/cel';
import { charge } from './meter.ts';
import { jsonOf } from './json-values.ts';
import { isCelList, isCelMap, isCelUint } from './values.ts';

const std = [...celEnv().funcs];

/** A timestamp or a duration as `string(x)` writes it. */
export function timeText(value: CelValue): string {
  for (const func of std) {
    const text = func.name === 'string' ? func.call(0, undefined, [value]) : undefined;
    if (typeof text === 'string') return text;
  }
  throw new Error('the value cannot be written as JSON');
}

/**
 * A CEL value as JSON. What came from JSON is that JSON itself. Integers beyond 2^53 are bigints, doubles that JSON cannot
 * express become texts, times and durations are written as CEL writes them, bytes become base64, types become their names.
 * Throws when the value is too large.
 */
export function toJson(value: CelValue, text: (time: CelValue) => string): unknown {
  charge(1);
  if (typeof value === 'bigint') return integer(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object' || value === null) return value;
  const passed = jsonOf(value);
  if (passed !== undefined) return passed;
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
