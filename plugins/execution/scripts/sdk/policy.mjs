import { misused } from './errors.mjs';
import { durationText } from './values.mjs';

/** From this version on of the agent socket a step may be tried several times, and has a time. */
export const ATTEMPTS_PROTOCOL = 4;
/** What an attempt exits with that took longer than its time. */
export const TIMED_OUT = 124;
/** The first one is included. */
export const MAX_ATTEMPTS = 100;

/** Thrown in the function of a step: another attempt would fail in the same way, so none is made. */
export class NonRetryableError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = 'NonRetryableError';
    this.nonRetryable = true;
  }
}

/** An attempt of a function has passed its time. The agent says so in the record. */
class AttemptTimeout extends Error {
  exitCode = TIMED_OUT;
  constructor(timeout_ms) {
    super(`it took longer than ${timeout_ms} ms`);
    this.name = 'TimeoutError';
  }
}

export const isFinal = (cause) => cause?.nonRetryable === true;
export const isTimeout = (cause) => cause instanceof AttemptTimeout;

/** The options of the verb. Without `retry` and `timeout` there are none. */
export function policyOptions({ retry, timeout }) {
  const time = timeout === undefined ? [] : [`--timeout=${durationText(timeout, 'timeout')}`];
  if (retry === undefined) return time;
  const { attempts, backoff, maxBackoff, ...unknown } = typeof retry === 'number' ? { attempts: retry } : (retry ?? {});
  const [surplus] = Object.keys(unknown);
  if (surplus !== undefined)
    throw misused(`unknown retry option ${JSON.stringify(surplus)}; use attempts, backoff and maxBackoff`);
  if (!Number.isInteger(attempts)) throw misused('retry must be a number of attempts, or have `attempts`');
  if (attempts < 1 || attempts > MAX_ATTEMPTS)
    throw misused(`retry needs a number of attempts from 1 to ${MAX_ATTEMPTS}, including the first, not ${attempts}`);
  return [
    `--retry=${attempts}`,
    ...(backoff === undefined ? [] : [`--backoff=${durationText(backoff, 'backoff')}`]),
    ...(maxBackoff === undefined ? [] : [`--max-backoff=${durationText(maxBackoff, 'maxBackoff')}`]),
    ...time,
  ];
}

const MAX_TIMER_MS = 2 ** 31 - 1;

/** As setTimeout, which holds no longer time than that. Answers how it is called off. */
function after(ms, over) {
  let timer;
  const arm = (left) => {
    timer = setTimeout(() => (left > MAX_TIMER_MS ? arm(left - MAX_TIMER_MS) : over()), Math.min(left, MAX_TIMER_MS));
  };
  arm(ms);
  return () => clearTimeout(timer);
}

/**
 * Calls `work` with a signal that aborts when its time is over, and waits no longer than that. `onLoss` takes a listener that
 * ends the timer when nobody waits for the work any more.
 */
export async function inTime(timeout_ms, work, onLoss = () => undefined) {
  if (timeout_ms === undefined) return await work();
  const aborting = new AbortController();
  let callOff;
  const late = new Promise((_, reject) => {
    callOff = after(timeout_ms, () => {
      const error = new AttemptTimeout(timeout_ms);
      reject(error);
      aborting.abort(error);
    });
  });
  onLoss(callOff);
  try {
    return await Promise.race([work(aborting.signal), late]);
  } finally {
    callOff();
  }
}
