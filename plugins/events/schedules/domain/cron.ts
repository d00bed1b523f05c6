import { Cron } from 'croner';
import type { Zone } from './zone.ts';
import { validateFields, splitFields } from './cron-fields.ts';

/** The due times of a schedule, in whole seconds. */
export interface CronTimes {
  /** Returns the first due time after an instant, or undefined when there are no more. */
  after(at: number): number | undefined;
}

export type ParsedCron = { times: CronTimes } | { problem: string };

const SECOND_MS = 1000;
/** No clock is set back by more than this. */
const MAX_STEP_MS = 3 * 3_600_000;
/** Longer than any sensible pattern. */
const MAX_CHARACTERS = 255;

const NICKNAMES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/**
 * Parses a cron expression of five fields, or of six with seconds first. If `from` is given, a pattern that never
 * fires after it is invalid too.
 */
export function parseCron(text: string, zone: Zone, from?: number): ParsedCron {
  if (text.length > MAX_CHARACTERS) return { problem: `must have at most ${MAX_CHARACTERS} characters` };
  const expanded = text.startsWith('@') ? NICKNAMES[text.toLowerCase()] : text;
  if (expanded === undefined)
    return { problem: `must have five fields, or six, or be one of ${Object.keys(NICKNAMES).join(' ')}` };
  const fields = splitFields(expanded);
  const problem = validateFields(fields);
  if (problem !== undefined) return { problem };
  const times = createTimes(fields, zone);
  if (from !== undefined && times.after(from) === undefined)
    return { problem: 'never fires: no day matches all its fields' };
  return { times };
}

/**
 * Matches the pattern against the local clock as if it never jumped, and handles the jumps here. A named hour that
 * does not exist on a day fires once, when the clock jumps. An hour that occurs twice fires only the first time. A
 * pattern for every hour follows elapsed time: it fires in both hours and has nothing to catch up on.
 */
function createTimes(fields: readonly string[], zone: Zone): CronTimes {
  const local = new Cron(fields.join(' '), { timezone: 'UTC', paused: true });
  const every_hour = ['*', '?', '*/1', '0-23'].includes(fields.at(-4)!);
  /** Returns the first match of the local clock after a reading of it. */
  const match = (reading: number) => local.nextRun(new Date(reading))?.getTime();

  function after(at: number): number | undefined {
    let offset = zone.offset(at);
    // Only matches after this reading of the local clock count.
    let reading = every_hour ? at + offset : Math.max(at + offset, localRepeatEnd(zone, at) - SECOND_MS);
    for (let since = at; ; ) {
      const match_at = match(reading);
      if (match_at === undefined) return undefined;
      const change = zone.change(since, match_at - offset);
      if (change === undefined) return match_at - offset;
      const next = zone.offset(change);
      const jumped_forward = next > offset;
      if (jumped_forward && !every_hour && match_at < change + next) return change;
      const from = jumped_forward || every_hour ? change + next : change + offset;
      reading = from - SECOND_MS;
      offset = next;
      since = change;
    }
  }
  return { after };
}

/** Returns the local time at which the clock was recently set back; times before it occurred already. */
function localRepeatEnd(zone: Zone, at: number): number {
  const change = zone.change(at - MAX_STEP_MS, at);
  return change === undefined ? Number.NEGATIVE_INFINITY : change + zone.offset(change - SECOND_MS);
}
