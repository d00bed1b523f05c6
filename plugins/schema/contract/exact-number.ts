/** `JSON.rawJSON` of ES2026; a browser without it shows the nearest double. */
const { rawJSON } = JSON as { rawJSON?: (text: string) => object };

/** What JSON.stringify writes as this very text, a number of JSON. */
export const rawNumber = (text: string): unknown => (rawJSON ? rawJSON(text) : Number(text));

/**
 * A number of JSON of which neither a double nor 64 bits keep the value, or one alone that a double would write otherwise,
 * such as `1.0`. Its text is written as it was read.
 */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The nearest double; infinite beyond all of them. */
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

/** Notes that an object or array has an `ExactNumber` somewhere below. */
export function keepsExact(holder: object, member: unknown): void {
  if (holdsExact(member)) holders.add(holder);
}

/** Whether a value is an `ExactNumber`, which looks like an object, or was read with one somewhere below. */
export const holdsExact = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && (value instanceof ExactNumber || holders.has(value));

// JSON.stringify throws for a bigint that does not say how it is written.
Object.defineProperty(BigInt.prototype, 'toJSON', {
  value(this: bigint) {
    return rawNumber(String(this));
  },
  configurable: true,
  writable: true,
});

/** Whether a value is a number of JSON, however it is held. */
export const isNumber = (value: unknown): value is number | bigint | ExactNumber =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof ExactNumber;

const WHOLE = /^-?\d+$/;
/** All of 64 bits have no more; of what is longer the text is kept. */
const MOST_DIGITS = 20;
/** A text of no more characters has at most 15 digits beside a point or an exponent, and a double prints all of these. */
const SHORT = 16;
/** A double prints at most so many from the first that is not zero to the last. */
const PRINTED_DIGITS = 17;
/** Below it doubles have fewer digits. */
const LEAST = 1e-300;
const PARTS = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const EXPONENT = /[eE]/;
const ZERO = 0x30;

/** The digits of a decimal without zeros around them, and where its point stands: what two texts of one value share. */
function decimalOf(text: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = PARTS.exec(text) ?? [];
  const digits = whole + fraction;
  let [from, end] = [0, digits.length];
  while (from < end && digits.charCodeAt(from) === ZERO) from++;
  while (end > from && digits.charCodeAt(end - 1) === ZERO) end--;
  return from === end ? '0' : `${digits.slice(from, end)}e${Number(exponent) + whole.length - from}`;
}

/** Whether a decimal has more digits than any that a double prints. */
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
 * The value of a number of JSON: a double where it prints this value and is no whole number beyond 2^53, a bigint for
 * these of up to 20 digits, and an `ExactNumber` for all others.
 */
export function numberOf(text: string): number | bigint | ExactNumber {
  const value = Number(text);
  if (WHOLE.test(text)) {
    if (Number.isSafeInteger(value)) return value;
    return text.length <= MOST_DIGITS + (text[0] === '-' ? 1 : 0) ? BigInt(text) : new ExactNumber(text);
  }
  if (text.length <= SHORT && Math.abs(value) >= LEAST && Number.isFinite(value)) return value;
  if (!Number.isFinite(value) || hasMoreDigits(text)) return new ExactNumber(text);
  const printed = String(value);
  if (printed === text) return value;
  // Without zeros at their ends and without exponents two texts are two numbers.
  const differs = !text.endsWith('0') && !EXPONENT.test(text) && !EXPONENT.test(printed);
  return differs || decimalOf(printed) !== decimalOf(text) ? new ExactNumber(text) : value;
}

/** A double prints this number as it stands here, and it is no whole number beyond 2^53. */
export function isPlainNumber(text: string): boolean {
  const value = Number(text);
  return String(value) === text && (!Number.isInteger(value) || Number.isSafeInteger(value));
}
