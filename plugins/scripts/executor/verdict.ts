import type { PassEnd } from '../../agents/contract.ts';
import type { Completion, Json } from '../../runs/contract.ts';
import { howItEnded } from '../domain/failure-text.ts';
import { determinismViolation, scriptFailed } from '../errors.ts';
import type { ReplayJournal } from '../journal/replay-journal.ts';

export interface ScriptEnd {
  exit_code: number | null;
  signal: string | null;
}

/** Signals that come from outside a script: someone, or the kernel for want of memory, ended it. */
const FROM_OUTSIDE: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']);

/** Was the script ended by something that is no doing of its own? Then another pass takes it up where it was. */
export function killedFromOutside(end: ScriptEnd): boolean {
  return end.signal !== null && FROM_OUTSIDE.has(end.signal);
}

/** What the end of the script means for its activity. */
export function verdict(end: ScriptEnd, journal: ReplayJournal, tail: () => string): PassEnd {
  return { end: 'completed', completion: end.exit_code === 0 ? success(journal) : failure(end, journal, tail()) };
}

function success(journal: ReplayJournal): Completion {
  const violation = journal.endViolation();
  if (violation !== undefined) return { status: 'failed', code: determinismViolation.code, message: violation };
  return { status: 'succeeded', output: journal.output() as Json };
}

function failure(end: ScriptEnd, journal: ReplayJournal, tail: string): Completion {
  const failed = journal.failure();
  const lines = [`the script ended with ${howItEnded(end)}`];
  // A call that failed with the very code of the script is, under `bash -eu`, what ended it.
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
