import type { ActivityHost, PassEnd } from '../../agents/contract.ts';
import type { OpenReplay } from '../../replay/contract.ts';
import { type Completion, type Json, MAX_STEP_OUTPUT_BYTES } from '../../../engine/runs/contract.ts';
import type { Capture } from '../domain/command-spec.ts';
import { describeExit, takeTail } from '../domain/failure-text.ts';
import { scriptFailed, scriptKilled, scriptNotStarted } from '../errors.ts';
import { parseExact } from '../../../platform/schema/contract.ts';

export interface ScriptExit {
  exit_code: number | null;
  signal: string | null;
}

/** Signals that come from outside of a script: from a person, or from the kernel when memory is short. */
const FROM_OUTSIDE: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']);

/** True when something outside ended the script; another pass then continues it. */
export function isKilledExternally(end: ScriptExit): boolean {
  return end.signal !== null && FROM_OUTSIDE.has(end.signal);
}

/** The end of a pass whose script was killed, or lost with what started it: the next pass continues it. */
export function interruptedScript(journal: OpenReplay, how: string): PassEnd {
  const { code, message, next } = scriptKilled(`the script was ${how} repeatedly without making progress`);
  return {
    end: 'interrupted',
    at: journal.length(),
    otherwise: { status: 'failed', code, message: `${message}\n${next}` },
  };
}

/**
 * Returns the error for a process that did not start. A spawner that does not start is an error of the agent, and a retry
 * may help. A program that cannot start will not start at the next attempt either.
 */
export const startFailure = (error: string, code: string | undefined): Error =>
  code === undefined ? new Error(error) : scriptNotStarted(`the script could not be started: ${error}`);

/** What a script printed. */
interface Printed {
  /** The masked end of its standard error. */
  tail(): string;
  /** Its standard output, if that is the output of the activity. */
  capture: Capture | undefined;
  masker: Pick<ActivityHost['masker'], 'text'>;
}

/** Returns the result of the activity after its script has ended by itself. */
export function buildPassResult(end: ScriptExit, journal: OpenReplay, printed: Printed): PassEnd {
  return {
    end: 'completed',
    completion: end.exit_code === 0 ? success(journal, printed) : failure(end, journal, printed),
  };
}

/** The output is what the script staged, otherwise what it printed, if that is captured. */
function success(journal: OpenReplay, { capture }: Printed): Completion {
  const end = journal.success();
  if (!capture || end.status === 'failed' || Object.keys(end.output as object).length > 0) return end;
  const excess_bytes = capture.size - MAX_STEP_OUTPUT_BYTES;
  if (excess_bytes <= 0) return { status: 'succeeded', output: jsonOrText(capture.bytes().toString()) };
  const message = `the script printed ${excess_bytes} bytes more than the ${MAX_STEP_OUTPUT_BYTES} allowed for an output; write large data to a file or an artifact and print its name`;
  return { status: 'failed', code: scriptFailed.code, message };
}

/** Parses a text as JSON, or returns it without its last line break; null for an empty text. */
function jsonOrText(text: string): Json {
  const printed = text.replace(/\r?\n$/, '');
  if (printed === '') return null;
  try {
    return parseExact(printed) as Json;
  } catch {
    return printed.replaceAll('\0', '');
  }
}

function failure(end: ScriptExit, journal: OpenReplay, { tail, capture, masker }: Printed): Completion {
  const failed_call = journal.failure();
  const lines = [`the script ended with ${describeExit(end)}`];
  // Under `bash -eu`, a failed call with the script's own exit code is the call that ended it.
  if (failed_call !== undefined && failed_call.exit_code === end.exit_code) {
    lines.push(`the last durable call, ${failed_call.site}, failed with exit code ${failed_call.exit_code}`);
    if (failed_call.message !== undefined) lines.push(failed_call.message);
  }
  const stderr_tail = tail();
  const output = stderr_tail === '' && capture ? takeTail(masker.text(capture.bytes().toString())) : '';
  if (stderr_tail !== '') lines.push('the end of its standard error:', stderr_tail);
  if (output !== '') lines.push('the end of its output:', output);
  return {
    status: 'failed',
    code: scriptFailed.code,
    message: lines.join('\n'),
    ...(end.exit_code === null ? {} : { exit_code: end.exit_code }),
  };
}
