import {
  Errors,
  type Fault,
  formatDuration,
  isServiceError,
  parseDuration,
} from '../../../../kernel/contracts/index.ts';
import type { PutScheduleBody } from '../generated/put-schedule.ts';
import type { StartOptions } from '../store/schedules.ts';
import type { CronTimes } from './cron.ts';

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;

/** The least and the most of each option. */
const BOUNDS = {
  jitter: [SECOND_MS, DAY_MS],
  catch_up: [0, 30 * DAY_MS],
  deadline: [SECOND_MS, 30 * DAY_MS],
} as const;

/** Due times that a catch-up window may contain. After an outage each of them starts. */
const MAX_CAUGHT_UP = 1000;

/** Parses how due times start. Throws `invalid_request` with a pointer for each option that is wrong. */
export function parseOptions(body: PutScheduleBody, times: CronTimes, now: number): StartOptions {
  const errors: Fault[] = [];
  const read = (option: keyof typeof BOUNDS): number | null => {
    const text = body[option];
    if (text === undefined) return null;
    const parsed = parseWithin(text, BOUNDS[option]);
    if (typeof parsed === 'number') return parsed;
    errors.push({ pointer: `/${option}`, message: parsed.message });
    return null;
  };
  const options = { jitter_ms: read('jitter'), catch_up_ms: read('catch_up'), deadline_ms: read('deadline') };
  if (options.catch_up_ms !== null && countWithin(times, now, options.catch_up_ms) > MAX_CAUGHT_UP)
    errors.push({
      pointer: '/catch_up',
      message: `contains more than ${MAX_CAUGHT_UP} due times; write a shorter one`,
    });
  const { overlap } = body;
  if (overlap !== undefined && body.workflow === undefined)
    errors.push({ pointer: '/overlap', message: 'needs a workflow: without one, nothing can overlap' });
  if (errors.length > 0)
    throw Errors.invalidRequest(errors.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`).join('; '), {
      errors,
    });
  return { ...options, overlap: overlap === undefined || overlap === 'allow' ? null : overlap };
}

function parseWithin(text: string, [least, most]: readonly [number, number]): number | { message: string } {
  try {
    const ms = parseDuration(text);
    if (ms >= least && ms <= most) return ms;
    return { message: `must be ${formatDuration(least)} to ${formatDuration(most)}` };
  } catch (error) {
    if (isServiceError(error, 'duration_invalid')) return { message: error.message };
    throw error;
  }
}

/** Counts due times from now on, up to one more than the limit. */
function countWithin(times: CronTimes, now: number, length_ms: number): number {
  let count = 0;
  for (let at = times.after(now); at !== undefined && at <= now + length_ms; at = times.after(at))
    if (++count > MAX_CAUGHT_UP) break;
  return count;
}
