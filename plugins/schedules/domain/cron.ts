import { Cron } from 'croner';
import type { Zone } from './zone.ts';
import { fieldFault, fieldsOf } from './cron-fields.ts';

/** When a schedule is due: instants of whole seconds. */
export interface CronTimes {
  /** The first one after an instant; undefined when there is none any more. */
  after(at: number): number | undefined;
}

export type CronText = { times: CronTimes } | { fault: string };

const SECOND_MS = 1000;
/** No clock is put back by more. */
const LONGEST_STEP_MS = 3 * 3_600_000;
/** More names of days and lists than anybody needs. */
const MOST_CHARACTERS = 255;

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
 * Reads a cron expression of five fields, or of six with seconds first. What never fires after the instant `from` is at
 * fault too; absent: that is not asked.
 */
export function readCron(text: string, zone: Zone, from?: number): CronText {
  if (text.length > MOST_CHARACTERS) return { fault: `must have at most ${MOST_CHARACTERS} characters` };
  const plain = text.startsWith('@') ? NICKNAMES[text.toLowerCase()] : text;
  if (plain === undefined)
    return { fault: `must have five fields, or six, or be one of ${Object.keys(NICKNAMES).join(' ')}` };
  const fields = fieldsOf(plain);
  const fault = fieldFault(fields);
  if (fault !== undefined) return { fault };
  const times = timesOf(fields, zone);
  if (from !== undefined && times.after(from) === undefined)
    return { fault: 'never fires: no day has all that it asks for' };
  return { times };
}

/**
 * The pattern is matched against the local clock as if it never jumped; what a jump of the clock means is decided
 * here. Hours that are named and do not exist on a day fire once, when the clock has jumped; those that exist twice
 * fire the first time. A pattern of every hour goes by elapsed time: it fires in both, and has nothing to make up for.
 */
function timesOf(fields: readonly string[], zone: Zone): CronTimes {
  const local = new Cron(fields.join(' '), { timezone: 'UTC', paused: true });
  const every_hour = ['*', '?', '*/1', '0-23'].includes(fields.at(-4)!);
  /** The first match of the local clock after a reading of it. */
  const match = (reading: number) => local.nextRun(new Date(reading))?.getTime();

  function after(at: number): number | undefined {
    let offset = zone.offset(at);
    // Matches are looked for after this reading of the local clock.
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

/** Where the local clock was when it was put back, if that was not long ago: what it shows until then, it showed before. */
function repeatedUntil(zone: Zone, at: number): number {
  const change = zone.change(at - LONGEST_STEP_MS, at);
  return change === undefined ? Number.NEGATIVE_INFINITY : change + zone.offset(change - SECOND_MS);
}
