import type { PassEnd } from '../../agents/contract.ts';
import type { OpenReplay } from '../../replay/contract.ts';
import type { Completion } from '../../runs/contract.ts';
import { howItEnded } from '../domain/failure-text.ts';
import { scriptFailed } from '../errors.ts';

export interface ScriptEnd {
  exit_code: number | null;
  signal: string | null;
}

/** Signals that come from outside of a script: from a person, or from the kernel when memory is short. */
const FROM_OUTSIDE: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']);

/** True when something outside ended the script. Another pass then continues it. */
export function killedFromOutside(end: ScriptEnd): boolean {
  return end.signal !== null && FROM_OUTSIDE.has(end.signal);
}

/** The result of the activity from the end of its script. */
export function verdict(end: ScriptEnd, journal: OpenReplay, tail: () => string): PassEnd {
  return { end: 'completed', completion: end.exit_code === 0 ? journal.success() : failure(end, journal, tail()) };
}

function failure(end: ScriptEnd, journal: OpenReplay, tail: string): Completion {
  const failed = journal.failure();
  const lines = [`the script ended with ${howItEnded(end)}`];
  // Under `bash -eu`, a failed call with the script's own exit code is the call that ended it.
  if (failed !== undefined && failed.exit_code === end.exit_code) {
    lines.push(`the last durable call, ${failed.site}, failed with exit code ${failed.exit_code}`);
    if (failed.message !== undefined) lines.push(failed.message);
  }
  if (tail !== '') lines.push('the end of its standard error:', tail);
  return {
    status: 'failed',
    code: scriptFailed.code,
    message: lines.join('\n'),
    ...(end.exit_code === null ? {} : { exit_code: end.exit_code }),
  };
}
