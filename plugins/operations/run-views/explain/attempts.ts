import type { StepView } from './answers.ts';

/** The sentences about calls and activities that are retried and have no outcome yet. */
export function describeRetries(steps: readonly StepView[]): string[] {
  return steps.filter(isRetrying).slice(0, 5).map(describeRetry);
}

const isRetrying = ({ attempts = [], status, child }: StepView): boolean =>
  attempts.length > 0 && (status !== 'recorded' || (child !== undefined && child.state !== 'ended'));

function describeRetry({ kind, site, attempts = [], max_attempts = 0, status, running, child }: StepView): string {
  const last = attempts.at(-1)!;
  const why = last.message === undefined ? '' : ` (${last.message})`;
  const failed = `${kind} ${site} has failed ${attempts.length} of ${max_attempts} times, most recently with exit code ${last.exit_code}${why}`;
  // Its sentence already says which attempt it is.
  if (running ?? child?.running) return `${failed}.`;
  const pauses = status === 'waiting' && (child === undefined || child.state === 'waiting');
  const next = pauses ? `the next attempt starts at ${last.next_at}` : `attempt ${last.attempt + 1} is in progress`;
  return `${failed}; ${next}.`;
}

/** The number of attempts of a recorded call. */
export const describeAttemptCount = ({ attempts = [] }: StepView): string =>
  attempts.length === 0 ? '' : `, the last of ${attempts.length + 1} attempts`;
