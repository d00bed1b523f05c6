import { setTimeout as delay } from 'node:timers/promises';
import { type Client, type LocalService, formatSpan } from '../../../../cli/contract.ts';
import { type WaitAnswersOptions, POLL_MS, repeatUntilStopped, WaitAnswers } from './answer-waits.ts';
import type { FollowedLines } from './followed-lines.ts';
import type { Wait } from './open-waits.ts';

/** While something runs it is seen so much later that nothing does any more. */
const BUSY_MS = 10;
/** The log is followed within milliseconds; a reader that is stuck does not hold up the run. */
const MAX_LOG_POLLS = 100;
const LOG_POLL_MS = 5;
/** Ticks of schedules in a row that are waited for while the run of the command does not move. */
const MAX_TICKS = 30;
const TICKS_EXCEEDED = `${MAX_TICKS} schedule ticks did not advance the run; skipping to the next due time other than a tick, or continuing in real time`;
const MAX_NAMED = 5;

export interface SkipTimeOptions extends WaitAnswersOptions {
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
export function skipTime(api: Client, run: SkipTimeOptions): () => Promise<void> {
  const { clock, run_id, lines, output } = run;
  const answers = new WaitAnswers(api, run);
  let waits: Wait[] = [];
  let place = '';
  let ticks = 0;
  return repeatUntilStopped(output, async () => {
    const skip = await clock.skipTime(async () => {
      const open = await answers.open();
      ({ waits } = open);
      const goes_on = open.runs.some((one) => one.run_id === run_id);
      if (!goes_on || (await answers.send(waits)) > 0) return undefined;
      const now = fingerprintWaits(waits, run_id);
      if (now !== place) ticks = 0;
      place = now;
      await waitForLog(api, run_id, lines);
      return { recurring: ticks < MAX_TICKS };
    });
    if (skip.state === 'busy') return BUSY_MS;
    if (skip.state === 'waits') {
      answers.tell(waits);
      return POLL_MS;
    }
    output.note(describeSkip(skip, waits, run_id));
    if (skip.recurs === true && ++ticks === MAX_TICKS) output.note(TICKS_EXCEEDED);
    return 0;
  });
}

type Skip = { by_ms: number; to: string; description?: string | undefined };

/** What a run waits for, as a text that changes when it moves. */
const fingerprintWaits = (waits: readonly Wait[], run_id: string): string =>
  JSON.stringify(waits.filter((wait) => wait.run_id === run_id));

/** Waits until the log of a run that stands still is printed, so that what is said next stands behind it. */
async function waitForLog(api: Client, run_id: string, lines: FollowedLines): Promise<void> {
  const query = { format: 'json', tail: 1 };
  const last = (await api.text({ path: api.scoped(`/runs/${run_id}/logs`), query })).trim();
  if (last === '') return;
  const { at } = JSON.parse(last) as { at: string };
  for (let look = 0; look < MAX_LOG_POLLS && lines.shown_at < at; look += 1) await delay(LOG_POLL_MS);
}

function describeSkip({ by_ms, to, description }: Skip, waits: readonly Wait[], run_id: string): string {
  const ended = waits.filter(({ deadline }) => deadline !== undefined && deadline <= to);
  const names = ended.slice(0, MAX_NAMED).map((wait) => describeWait(wait, run_id));
  if (ended.length > MAX_NAMED) names.push(`and ${ended.length - MAX_NAMED} more`);
  if (description !== undefined) names.push(description);
  const why = names.length === 0 ? '' : ` (${names.join(', ')})`;
  return `skipped ${formatSpan(roundDuration(by_ms))}, to ${to}${why}`;
}

/** `sleep`, `signal approved of ship`. */
function describeWait({ run_id, node, kind, name }: Wait, own_id: string): string {
  const what = name === '' || name === kind ? kind : `${kind} ${name}`;
  const who = [...(node === undefined ? [] : [node]), ...(run_id === own_id ? [] : [run_id])];
  return who.length === 0 ? what : `${what} of ${who.join(' of ')}`;
}

/** Without the moment that has passed before the clock was put forward. */
function roundDuration(ms: number): number {
  const grain = ms < 1000 ? 1 : ms < 3_600_000 ? 1000 : 60_000;
  return Math.round(ms / grain) * grain;
}
