import { Cron } from 'croner';
import type { Zone } from './zone.ts';
import { fieldFault, fieldsOf } from './cron-fields.ts';

/** The due times of a schedule: instants in whole seconds. */
export interface CronTimes {
  /** The first due time after an instant; undefined when there is no more. */
  after(at: number): number | undefined;
}

export type CronText = { times: CronTimes } | { fault: string };

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
 * Parses a cron expression of five fields, or of six with seconds first. A pattern that never fires after `from` is a
 * fault too; without `from` that is not checked.
 */
export function readCron(text: string, zone: Zone, from?: number): CronText {
  if (text.length > MAX_CHARACTERS) return { fault: `must have at most ${MAX_CHARACTERS} characters` };
  const plain = text.startsWith('@') ? NICKNAMES[text.toLowerCase()] : text;
  if (plain === undefined)
    return { fault: `must have five fields, or six, or be one of ${Object.keys(NICKNAMES).join(' ')}` };
  const fields = fieldsOf(plain);
  const fault = fieldFault(fields);
  if (fault !== undefined) return { fault };
  const times = timesOf(fields, zone);
  if (from !== undefined && times.after(from) === undefined)
    return { fault: 'never fires: no day matches all its fields' };
  return { times };
}

/**
 * The pattern is matched against the local clock as if it never jumped; the jumps are handled here. A named hour that
 * does not exist on a day fires once, when the clock has jumped. One that exists twice fires the first time. A pattern
 * for every hour follows elapsed time: it fires in both hours, and has nothing to make up for.
 */
function timesOf(fields: readonly string[], zone: Zone): CronTimes {
  const local = new Cron(fields.join(' '), { timezone: 'UTC', paused: true });
  const every_hour = ['*', '?', '*/1', '0-23'].includes(fields.at(-4)!);
  /** The first match of the local clock after a reading of it. */
  const match = (reading: number) => local.nextRun(new Date(reading))?.getTime();

  function after(at: number): number | undefined {
    let offset = zone.offset(at);
    // Matches after this reading of the local clock are wanted.
    let reading = every_hour ? at + offset : Math.max(at + offset, repeatedUntil(zone, at) - SECOND_MS);
    for (let since = at; ; ) {
      const found = match(reading);
      if (found === undefined) return undefined;
      const change = zone.change(since, found - offset);
      if (change === undefined) return found - offset;
      const next = zone.offset(change);
      const ahead = next > offset;
      if (ahead && !every_hour && found < change + next) return change;
      const from = ahead || every_hour ? change + next : change + offset;
      reading = from - SECOND_MS;
      offset = next;
      since = change;
    }
  }
  return { after };
}

/** The local time at which the clock was set back recently: times before it were shown already. */
function repeatedUntil(zone: Zone, at: number): number {
  const change = zone.change(at - MAX_STEP_MS, at);
  return change === undefined ? Number.NEGATIVE_INFINITY : change + zone.offset(change - SECOND_MS);
}
