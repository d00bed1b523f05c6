import { defineError } from './errors.ts';

export const durationInvalid = defineError({
  code: 'duration_invalid',
  status: 400,
  title: 'The text is not a duration.',
  next: 'Write a whole number and a unit (ms, s, m, h, d), largest unit first: `500ms`, `5s`, `1m`, `2h`, `30d`, `1h30m`.',
});

const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
];

/** Ten years. A longer duration is surely a mistake, and deadlines must stay far below 2^53. */
export const MAX_DURATION_MS = 3650 * 86_400_000;

const UNIT_PATTERN = /(\d{1,15})(ms|[smhd])/gy;

/**
 * Parses `5s`, `1m`, `2h`, `30d`, `500ms` or a combination with the largest unit first (`1h30m`) into milliseconds. Throws
 * `duration_invalid` for anything else, and for more than ten years.
 */
export function parseDuration(text: string): number {
  const quoted = JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
  let total = 0;
  let smallest = -1;
  let end = 0;
  for (const [match, digits, unit] of text.matchAll(UNIT_PATTERN)) {
    const rank = UNITS.findIndex(([name]) => name === unit);
    if (rank <= smallest) throw durationInvalid(`${quoted} must name each unit once, the largest first, as in 1h30m`);
    smallest = rank;
    end += match.length;
    total += Number(digits) * UNITS[rank]![1];
  }
  if (end === 0 || end !== text.length)
    throw durationInvalid(`${quoted} is not a duration; write one like 500ms, 5s, 1m, 2h, 30d or 1h30m`);
  if (total > MAX_DURATION_MS) throw durationInvalid(`${quoted} is longer than ten years (3650d)`);
  return total;
}

/** Formats milliseconds as the shortest text that `parseDuration` reads back: `1h30m`, `0s`. */
export function formatDuration(ms: number): string {
  let rest = Math.max(0, Math.round(ms));
  let text = '';
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text === '' ? '0s' : text;
}
