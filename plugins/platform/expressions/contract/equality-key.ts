import { ExactNumber, numberOf } from '../../schema/contract.ts';

const MIN_INT = -(2n ** 63n);
const MAX_UINT = 2n ** 64n - 1n;

/**
 * Writes a JSON string, number, boolean or null so that two of them have the same text exactly if `==` is true for them in an
 * expression: 1 equals 1.0, and never "1". Undefined for anything else, and for a number that expressions cannot read.
 */
export function equalityKey(value: unknown): string | undefined {
  if (typeof value === 'string') return `"${value}`;
  if (typeof value === 'boolean' || value === null) return String(value);
  if (typeof value === 'bigint') return value >= MIN_INT && value <= MAX_UINT ? String(value) : undefined;
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return undefined;
    return String(Number.isInteger(value) ? BigInt(value) : value);
  }
  return value instanceof ExactNumber ? exactKey(value) : undefined;
}

/** A decimal is compared as the nearest double; an integer beyond 64 bits has no value. */
function exactKey({ text }: ExactNumber): string | undefined {
  const number = numberOf(text);
  if (!(number instanceof ExactNumber)) return equalityKey(number);
  const double = Number(text);
  return /[.eE]/.test(text) && Number.isFinite(double) ? equalityKey(double) : undefined;
}
