import type { StepView } from './answers.ts';

/** What is told of calls that are tried again and have no outcome yet, and of activities that are. */
export function describeRetries(steps: readonly StepView[]): string[] {
  return steps.filter(isRetrying).slice(0, 5).map(describeRetry);
}

const isRetrying = ({ attempts = [], status, child }: StepView): boolean =>
  attempts.length > 0 && (status !== 'recorded' || (child !== undefined && child.state !== 'ended'));

function describeRetry({ kind, site, attempts = [], max_attempts = 0, status, running, child }: StepView): string {
  const last = attempts.at(-1)!;
  const why = last.message === undefined ? '' : ` (${last.message})`;
  const failed = `${kind} ${site} has failed ${attempts.length} of ${max_attempts} times, at last with exit code ${last.exit_code}${why}`;
  // What is said of it already tells which attempt it is.
  if (running ?? child?.running) return `${failed}.`;
  const pauses = status === 'waiting' && (child === undefined || child.state === 'waiting');
  const next = pauses ? `the next attempt comes at ${last.next_at}` : `attempt ${last.attempt + 1} is in progress`;
  return `${failed}; ${next}.`;
}

/** Of a recorded call: how often it was tried. */
export const describeAttemptCount = ({ attempts = [] }: StepView): string =>
  attempts.length === 0 ? '' : `, the last of ${attempts.length + 1} attempts`;
