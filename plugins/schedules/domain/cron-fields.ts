import { Cron } from 'croner';

interface Field {
  name: string;
  takes: string;
}

const FIELDS: readonly Field[] = [
  { name: 'second', takes: '0 to 59' },
  { name: 'minute', takes: '0 to 59' },
  { name: 'hour', takes: '0 to 23' },
  { name: 'day of the month', takes: '1 to 31, L for the last, 15W for the weekday nearest to a day' },
  { name: 'month', takes: '1 to 12 or JAN to DEC' },
  { name: 'day of the week', takes: '0 to 7 or SUN to SAT, FRI#2 for the second, FRI#L for the last' },
];

export const fieldsOf = (text: string): string[] => text.split(/\s+/).filter((field) => field !== '');

/** The first faulty field and what is wrong with it; undefined when all are valid. */
export function fieldFault(fields: readonly string[]): string | undefined {
  if (fields.length !== 5 && fields.length !== 6)
    return `has ${fields.length} ${fields.length === 1 ? 'field' : 'fields'}; it must have five (minute hour day month weekday), or six with seconds first`;
  const named = FIELDS.slice(FIELDS.length - fields.length);
  const wrong = named.findIndex((_, place) => !isField(fields, place));
  if (wrong >= 0) return faultOf(named[wrong]!, fields[wrong]!);
  // Each field is valid alone; a pattern that fails as a whole is still refused.
  return isPattern(fields) ? undefined : 'is no cron expression';
}

/** The other fields match anything, so that only this one decides. */
const isField = (fields: readonly string[], place: number): boolean =>
  isPattern(fields.map((field, index) => (index === place ? field : '*')));

function isPattern(fields: readonly string[]): boolean {
  try {
    return new Cron(fields.join(' '), { timezone: 'UTC', paused: true }).getPattern() !== undefined;
  } catch (error) {
    // The two error classes with which the library refuses a pattern.
    if (error instanceof TypeError || error instanceof RangeError) return false;
    throw error;
  }
}

function faultOf({ name, takes }: Field, given: string): string {
  const shown = JSON.stringify(given.length > 32 ? `${given.slice(0, 32)}…` : given);
  return `has ${shown} as its ${name}, which must be ${takes}; also *, lists (1,2), ranges (1-5) and steps (*/5)`;
}
