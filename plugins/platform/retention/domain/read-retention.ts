import { Errors, isServiceError, parseDuration } from '../../../../kernel/contracts/index.ts';

const FORM = 'runs=90d,logs=30d,events=30d,audit=365d (each at least 1s; other kinds are kept)';
const MIN_MS = 1000;

/** Reads `SVC_RETENTION`: the kinds of records, and how long each is retained. Throws `setting_invalid`. */
export function readRetention(text: string | undefined): Readonly<Record<string, number>> {
  const periods = new Map<string, number>();
  for (const entry of text === undefined || text.trim() === '' ? [] : text.split(',')) {
    const [name = '', span = '', ...more] = entry.split('=').map((word) => word.trim());
    const ms = /^[a-z][a-z-]*$/.test(name) && more.length === 0 && !periods.has(name) ? parseSpan(span) : undefined;
    if (ms === undefined)
      throw Errors.settingInvalid(`SVC_RETENTION is "${text}", but "${entry}" is not valid; write ${FORM}`);
    periods.set(name, ms);
  }
  return Object.fromEntries(periods);
}

function parseSpan(text: string): number | undefined {
  try {
    const ms = parseDuration(text);
    return ms >= MIN_MS ? ms : undefined;
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return undefined;
  }
}
