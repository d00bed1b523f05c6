import type { Json } from '../../runs/contract.ts';

/**
 * Returns true when the JSON of a value has more bytes than the limit. It stops counting there: a short expression can
 * name one large value a thousand times, and serialising it would copy the value each time.
 */
export function isLargerThan(max_bytes: number, value: Json): boolean {
  let remaining = max_bytes;
  const count = (item: Json): boolean => {
    if (Array.isArray(item)) {
      remaining -= 2 + Math.max(0, item.length - 1);
      return remaining >= 0 && item.every(count);
    }
    if (!isPlainObject(item)) {
      remaining -= Buffer.byteLength(JSON.stringify(item) ?? 'null');
      return remaining >= 0;
    }
    const members = Object.entries(item);
    remaining -= 2 + Math.max(0, members.length - 1);
    return members.every(([name, inner]) => {
      remaining -= Buffer.byteLength(JSON.stringify(name)) + 1;
      return remaining >= 0 && count(inner);
    });
  };
  return !count(value) || remaining < 0;
}

/** Exact numbers are objects too, but serialise themselves. */
function isPlainObject(value: Json): value is { [member: string]: Json } {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
