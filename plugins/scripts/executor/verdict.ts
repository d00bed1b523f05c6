import type { ActivityHost, PassEnd } from '../../agents/contract.ts';
import type { OpenReplay } from '../../replay/contract.ts';
import { type Completion, type Json, MAX_STEP_OUTPUT_BYTES } from '../../runs/contract.ts';
import type { Capture } from '../domain/command-spec.ts';
import { howItEnded, tailOf } from '../domain/failure-text.ts';
import { scriptFailed } from '../errors.ts';
import { parseExact } from '../../schema/contract.ts';

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

/** What a script printed. */
interface Printed {
  /** The masked end of its standard error. */
  tail(): string;
  /** Its standard output, when that is the output of the activity. */
  capture: Capture | undefined;
  masker: Pick<ActivityHost['masker'], 'text'>;
}

/** The result of the activity from the end of its script. */
export function verdict(end: ScriptEnd, journal: OpenReplay, printed: Printed): PassEnd {
  return {
    end: 'completed',
    completion: end.exit_code === 0 ? success(journal, printed) : failure(end, journal, printed),
  };
}

/** What the script staged is its output; otherwise what it printed, where that is captured. */
function success(journal: OpenReplay, { capture }: Printed): Completion {
  const end = journal.success();
  if (!capture || end.status === 'failed' || Object.keys(end.output as object).length > 0) return end;
  const over = capture.size - MAX_STEP_OUTPUT_BYTES;
  if (over <= 0) return { status: 'succeeded', output: jsonOrText(capture.bytes().toString()) };
  const message = `the script printed ${over} bytes more than the ${MAX_STEP_OUTPUT_BYTES} of an output; write large data to a file or an artifact and print its name`;
  return { status: 'failed', code: scriptFailed.code, message };
}

/** JSON when it is that, otherwise the text without its last line break; null for nothing. */
function jsonOrText(text: string): Json {
  const printed = text.replace(/\r?\n$/, '');
  if (printed === '') return null;
  try {
    return parseExact(printed) as Json;
  } catch {
    return printed.replaceAll('\0', '');
  }
}

function failure(end: ScriptEnd, journal: OpenReplay, { tail, capture, masker }: Printed): Completion {
  const failed = journal.failure();
  const lines = [`the script ended with ${howItEnded(end)}`];
  // Under `bash -eu`, a failed call with the script's own exit code is the call that ended it.
  if (failed !== undefined && failed.exit_code === end.exit_code) {
    lines.push(`the last durable call, ${failed.site}, failed with exit code ${failed.exit_code}`);
    if (failed.message !== undefined) lines.push(failed.message);
  }
  const said = tail();
  const output = said === '' && capture ? tailOf(masker.text(capture.bytes().toString())) : '';
  if (said !== '') lines.push('the end of its standard error:', said);
  if (output !== '') lines.push('the end of its output:', output);
  return {
    status: 'failed',
    code: scriptFailed.code,
    message: lines.join('\n'),
    ...(end.exit_code === null ? {} : { exit_code: end.exit_code }),
  };
}
