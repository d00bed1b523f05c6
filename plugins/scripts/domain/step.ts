import type { ExecResult, RecordedOutcome } from '../contract.ts';
import { verbUsage } from '../errors.ts';

/** Memoized output of one step. */
export const STEP_OUTPUT_BYTES = 2 * 1024 * 1024;
/** Exit code of a step whose output is refused. */
const REFUSED = 1;

const LONGEST_NAME = 200;
export const LONGEST_LABEL = 200;
const CONTROL = /\p{Cc}/u;

/** Answers the text, or throws `verb_usage` when no record or site could carry it. `what` is `the name of a step`. */
export function checkText(text: string, what: string, longest: number): string {
  const length = Array.from(text).length;
  if (length === 0) throw verbUsage(`${what} must not be empty`);
  if (length > longest) throw verbUsage(`${what} has ${length} characters; at most ${longest} are taken`);
  if (CONTROL.test(text)) throw verbUsage(`${what} must hold no control characters, as line breaks are`);
  return text;
}

/** `name#2` means the third occurrence of `name`, so no name may end like that itself. */
export function checkStepName(name: string, what = 'the name of a step'): string {
  checkText(name, what, LONGEST_NAME);
  if (/#\d+$/.test(name)) throw verbUsage(`${what} must not end with # and a number: ${JSON.stringify(name)}`);
  return name;
}

/** What is recorded of a command that has run. Refused output is recorded as a failure, so that replays say the same. */
export function stepOutcome(site: string, result: ExecResult): RecordedOutcome {
  const over = result.size - STEP_OUTPUT_BYTES;
  if (over > 0) {
    const bytes = over === 1 ? '1 byte' : `${over} bytes`;
    const message = `the output of step ${site} is ${bytes} over the limit of 2 MiB (${STEP_OUTPUT_BYTES} bytes), so it is not recorded and the step counts as failed with exit code ${REFUSED}; write large data to a file and print its name`;
    return { exit_code: REFUSED, output: Buffer.alloc(0), message };
  }
  const { exit_code, stdout, error } = result;
  return { exit_code, output: stdout, ...(error === undefined ? {} : { message: error }) };
}
