import { setTimeout as delay } from 'node:timers/promises';
import { type Client, type LocalService, span } from '../../../cli/contract.ts';
import { type GivenAnswers, LOOK_MS, repeat, WaitAnswers } from './answer-waits.ts';
import type { FollowedLines } from './followed-lines.ts';
import type { Wait } from './open-waits.ts';

/** While something runs it is seen so much later that nothing does any more. */
const BUSY_MS = 10;
/** The log is followed within milliseconds; a reader that is stuck does not hold up the run. */
const LOG_LOOKS = 100;
const LOG_LOOK_MS = 5;
/** Ticks of schedules in a row that are waited for while the run of the command does not move. */
const MOST_TICKS = 30;
const ENOUGH_TICKS = `${MOST_TICKS} ticks of schedules did not move the run; what else is due comes next, or time is real`;
const SHOWN = 5;

export interface SkippedRun extends GivenAnswers {
  clock: NonNullable<LocalService['clock']>;
  /** The run of the command. */
  run_id: string;
  /** Its log as it is printed. */
  lines: FollowedLines;
}

/**
 * Answers waits as `answerWaits`, and puts the clock of a local server forward to the next due time when nothing runs and
 * there is nothing to answer. Answers what ends it.
 */
export function skipTime(api: Client, run: SkippedRun): () => Promise<void> {
  const { clock, run_id, lines, output } = run;
  const answers = new WaitAnswers(api, run);
  let waits: Wait[] = [];
  let place = '';
  let ticks = 0;
  return repeat(output, async () => {
    const skip = await clock.skip(async () => {
      const open = await answers.open();
      ({ waits } = open);
      const goes_on = open.runs.some((one) => one.run_id === run_id);
      if (!goes_on || (await answers.send(waits)) > 0) return undefined;
      const now = placeOf(waits, run_id);
      if (now !== place) ticks = 0;
      place = now;
      await logShown(api, run_id, lines);
      return { recurring: ticks < MOST_TICKS };
    });
    if (skip.state === 'busy') return BUSY_MS;
    if (skip.state === 'waits') {
      answers.tell(waits);
      return LOOK_MS;
    }
    output.note(textOf(skip, waits, run_id));
    if (skip.recurs === true && ++ticks === MOST_TICKS) output.note(ENOUGH_TICKS);
    return 0;
  });
}

type Skipped = { by_ms: number; to: string; says?: string | undefined };

/** What a run waits for, as a text that changes when it moves. */
const placeOf = (waits: readonly Wait[], run_id: string): string =>
  JSON.stringify(waits.filter((wait) => wait.run_id === run_id));

/** Waits until the log of a run that stands still is printed, so that what is said next stands behind it. */
async function logShown(api: Client, run_id: string, lines: FollowedLines): Promise<void> {
  const query = { format: 'json', tail: 1 };
  const last = (await api.text({ path: api.scoped(`/runs/${run_id}/logs`), query })).trim();
  if (last === '') return;
  const { at } = JSON.parse(last) as { at: string };
  for (let look = 0; look < LOG_LOOKS && lines.shown_at < at; look += 1) await delay(LOG_LOOK_MS);
}

function textOf({ by_ms, to, says }: Skipped, waits: readonly Wait[], run_id: string): string {
  const ended = waits.filter(({ deadline }) => deadline !== undefined && deadline <= to);
  const names = ended.slice(0, SHOWN).map((wait) => nameOf(wait, run_id));
  if (ended.length > SHOWN) names.push(`and ${ended.length - SHOWN} more`);
  if (says !== undefined) names.push(says);
  const why = names.length === 0 ? '' : ` (${names.join(', ')})`;
  return `skipped ${span(rounded(by_ms))}, to ${to}${why}`;
}

/** `sleep`, `signal approved of ship`. */
function nameOf({ run_id, node, kind, name }: Wait, own_id: string): string {
  const what = name === '' || name === kind ? kind : `${kind} ${name}`;
  const who = [...(node === undefined ? [] : [node]), ...(run_id === own_id ? [] : [run_id])];
  return who.length === 0 ? what : `${what} of ${who.join(' of ')}`;
}

/** Without the moment that has passed before the clock was put forward. */
function rounded(ms: number): number {
  const grain = ms < 1000 ? 1 : ms < 3_600_000 ? 1000 : 60_000;
  return Math.round(ms / grain) * grain;
}
