/** `JSON.rawJSON` of ES2026. A browser without it shows the nearest double. */
const { rawJSON } = JSON as { rawJSON?: (text: string) => object };

/** Returns a value that JSON.stringify writes as exactly this text, which must be a JSON number. */
export const rawNumber = (text: string): unknown => (rawJSON ? rawJSON(text) : Number(text));

/**
 * A JSON number that neither a double nor 64 bits represent exactly, or a document that is a single number which a double would
 * print differently, such as `1.0`. It is written exactly as it was read.
 */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Returns the nearest double, which is infinite beyond the range of doubles. */
  valueOf(): number {
    return Number(this.text);
  }

  toString(): string {
    return this.text;
  }

  toJSON(): unknown {
    return rawNumber(this.text);
  }
}

const holders = new WeakSet<object>();

/** Records that an object or array contains an `ExactNumber` at any depth. */
export function noteExactMember(holder: object, member: unknown): void {
  if (containsExact(member)) holders.add(holder);
}

/** Tells whether a value is an `ExactNumber`, or was parsed with one at any depth. */
export const containsExact = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && (value instanceof ExactNumber || holders.has(value));

// JSON.stringify throws on a bigint without toJSON.
Object.defineProperty(BigInt.prototype, 'toJSON', {
  value(this: bigint) {
    return rawNumber(String(this));
  },
  configurable: true,
  writable: true,
});

/** Tells whether a value is a JSON number in any representation. */
export const isNumber = (value: unknown): value is number | bigint | ExactNumber =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof ExactNumber;

const INTEGER = /^-?\d+$/;
/** No 64-bit integer has more digits. The text of longer ones is kept. */
const MAX_BIGINT_DIGITS = 20;
/** A text of up to this length has at most 15 digits next to a point or an exponent, and a double prints all of them. */
const MAX_SHORT_CHARACTERS = 16;
/** A double prints at most this many digits from the first nonzero one to the last. */
const PRINTED_DIGITS = 17;
/** Smaller doubles have fewer digits. */
const MIN_PRECISE = 1e-300;
const DECIMAL = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const EXPONENT = /[eE]/;
const ZERO = 0x30;

/** Normalises a decimal to its digits without surrounding zeros and the position of its point, which equal values share. */
function decimalOf(text: string): string {
  const [, integer = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? [];
  const digits = integer + fraction;
  let [from, end] = [0, digits.length];
  while (from < end && digits.charCodeAt(from) === ZERO) from++;
  while (end > from && digits.charCodeAt(end - 1) === ZERO) end--;
  return from === end ? '0' : `${digits.slice(from, end)}e${Number(exponent) + integer.length - from}`;
}

/** Tells whether a decimal has more digits than a double can print. */
function hasMoreDigits(text: string): boolean {
  let [count, zeros] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    // An exponent begins.
    if (digit > 9) break;
    if (digit > 0) {
      count += zeros + 1;
      zeros = 0;
    } else if (digit === 0 && count > 0) zeros += 1;
  }
  return count > PRINTED_DIGITS;
}

/**
 * Parses a JSON number: into a double if that is exact and no integer beyond 2^53, into a bigint for larger integers of up to 20
 * digits, and into an `ExactNumber` otherwise.
 */
export function numberOf(text: string): number | bigint | ExactNumber {
  const value = Number(text);
  if (INTEGER.test(text)) {
    if (Number.isSafeInteger(value)) return value;
    return text.length <= MAX_BIGINT_DIGITS + (text[0] === '-' ? 1 : 0) ? BigInt(text) : new ExactNumber(text);
  }
  if (text.length <= MAX_SHORT_CHARACTERS && Math.abs(value) >= MIN_PRECISE && Number.isFinite(value)) return value;
  if (!Number.isFinite(value) || hasMoreDigits(text)) return new ExactNumber(text);
  const printed = String(value);
  if (printed === text) return value;
  // Without zeros at their ends and without exponents two texts are two numbers.
  const differs = !text.endsWith('0') && !EXPONENT.test(text) && !EXPONENT.test(printed);
  return differs || decimalOf(printed) !== decimalOf(text) ? new ExactNumber(text) : value;
}

/** Tells whether a double prints a number exactly as it is written, and it is no integer beyond 2^53. */
export function isCanonicalNumber(text: string): boolean {
  const value = Number(text);
  return String(value) === text && (!Number.isInteger(value) || Number.isSafeInteger(value));
}
