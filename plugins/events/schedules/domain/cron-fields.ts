import { Cron } from 'croner';

interface Field {
  name: string;
  allowed: string;
}

const FIELDS: readonly Field[] = [
  { name: 'second', allowed: '0 to 59' },
  { name: 'minute', allowed: '0 to 59' },
  { name: 'hour', allowed: '0 to 23' },
  { name: 'day of the month', allowed: '1 to 31, L for the last, 15W for the weekday nearest to a day' },
  { name: 'month', allowed: '1 to 12 or JAN to DEC' },
  { name: 'day of the week', allowed: '0 to 7 or SUN to SAT, FRI#2 for the second, FRI#L for the last' },
];

export const splitFields = (text: string): string[] => text.split(/\s+/).filter((field) => field !== '');

/** Returns what is wrong with the first invalid field, or undefined if all are valid. */
export function validateFields(fields: readonly string[]): string | undefined {
  if (fields.length !== 5 && fields.length !== 6)
    return `has ${fields.length} ${fields.length === 1 ? 'field' : 'fields'}; it must have five (minute hour day month weekday), or six with seconds first`;
  const named = FIELDS.slice(FIELDS.length - fields.length);
  const first_invalid = named.findIndex((_, place) => !isField(fields, place));
  if (first_invalid >= 0) return describeInvalid(named[first_invalid]!, fields[first_invalid]!);
  // Each field is valid by itself, but the pattern as a whole may still be invalid.
  return isPattern(fields) ? undefined : 'is not a cron expression';
}

/** The other fields match anything, so only this one decides. */
const isField = (fields: readonly string[], position: number): boolean =>
  isPattern(fields.map((field, index) => (index === position ? field : '*')));

function isPattern(fields: readonly string[]): boolean {
  try {
    return new Cron(fields.join(' '), { timezone: 'UTC', paused: true }).getPattern() !== undefined;
  } catch (error) {
    // The two error classes with which the library refuses a pattern.
    if (error instanceof TypeError || error instanceof RangeError) return false;
    throw error;
  }
}

function describeInvalid({ name, allowed }: Field, text: string): string {
  const quoted = JSON.stringify(text.length > 32 ? `${text.slice(0, 32)}…` : text);
  return `has ${quoted} as its ${name}, which must be ${allowed}, or *, a list (1,2), a range (1-5) or a step (*/5)`;
}
