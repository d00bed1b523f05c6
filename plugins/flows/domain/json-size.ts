import type { Json } from '../../runs/contract.ts';

/**
 * Whether the value has more bytes than this as JSON. Stops counting there: an expression of a few words can name one
 * large value a thousand times, and as text each of them would take memory of its own.
 */
export function isLargerThan(most: number, value: Json): boolean {
  let left = most;
  const count = (one: Json): boolean => {
    if (Array.isArray(one)) {
      left -= 2 + Math.max(0, one.length - 1);
      return left >= 0 && one.every(count);
    }
    if (!isPlain(one)) {
      left -= Buffer.byteLength(JSON.stringify(one) ?? 'null');
      return left >= 0;
    }
    const members = Object.entries(one);
    left -= 2 + Math.max(0, members.length - 1);
    return members.every(([name, inner]) => {
      left -= Buffer.byteLength(JSON.stringify(name)) + 1;
      return left >= 0 && count(inner);
    });
  };
  return !count(value) || left < 0;
}

/** Numbers that are kept exactly are objects too, and write themselves. */
function isPlain(value: Json): value is { [member: string]: Json } {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
