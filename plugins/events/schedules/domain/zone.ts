/** The clock of a time zone: its offset from UTC, and when that changes. */
export interface Zone {
  name: string;
  /** Returns the milliseconds by which the local clock is ahead of UTC at an instant. */
  offset(at: number): number;
  /** Returns the first instant after `after`, up to `until`, with another offset, or undefined if there is none. */
  change(after: number, until: number): number | undefined;
}

/** Shorter than the time between any two known changes of a clock. */
const STRIDE_MS = 7 * 86_400_000;
const SECOND_MS = 1000;
const NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+){0,2}$/;

const zones = new Map<string, Zone>();
/** There are about 600 zones. Names in other letter case work too, but need not all be cached. */
const MAX_CACHED = 1000;

/** Returns the zone with an IANA name in any letter case, or undefined. */
export function findZone(name: string): Zone | undefined {
  if (name.length > 64 || !NAME.test(name)) return undefined;
  const cached = zones.get(name);
  if (cached) return cached;
  const zone = openZone(name);
  if (zone && zones.size < MAX_CACHED) zones.set(name, zone);
  return zone;
}

function openZone(name: string): Zone | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  const offset = (at: number) => computeOffset(format, at);
  return { name, offset, change: (after, until) => findChange(offset, after, until) };
}

function computeOffset(format: Intl.DateTimeFormat, at: number): number {
  const second = Math.floor(at / SECOND_MS) * SECOND_MS;
  const fields = Object.fromEntries(format.formatToParts(second).map(({ type, value }) => [type, Number(value)]));
  const local = Date.UTC(fields.year!, fields.month! - 1, fields.day!, fields.hour!, fields.minute!, fields.second!);
  return local - second;
}

function findChange(offset: (at: number) => number, after: number, until: number): number | undefined {
  const before = offset(after);
  for (let low = after; low < until; ) {
    const high = Math.min(low + STRIDE_MS, until);
    if (offset(high) !== before) return bisectChange(offset, low, high, before);
    low = high;
  }
  return undefined;
}

/** Bisects to a whole second, because clocks change only at whole seconds. */
function bisectChange(offset: (at: number) => number, from: number, to: number, before: number): number {
  let low = Math.floor(from / SECOND_MS);
  let high = Math.ceil(to / SECOND_MS);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offset(middle * SECOND_MS) === before) low = middle;
    else high = middle;
  }
  return high * SECOND_MS;
}
