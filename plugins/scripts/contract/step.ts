import { MAX_CALL_NAME_LENGTH, MAX_STEP_OUTPUT_BYTES, siteOf } from '../../runs/contract.ts';
import { type OpenSite, type RecordedOutcome, type SiteCall, verbUsage } from '../../replay/contract.ts';
import { type CommandAttempt, type CommandPolicy, tryAll } from './policy.ts';
import { answer, type ExecResult, type VerbCall, type VerbOutcome } from './verb.ts';

/** Exit code of a command whose output is refused. */
const REFUSED = 1;

const CONTROL = /\p{Cc}/u;

/** Answers the text, or throws `verb_usage` when no record or site could carry it. `what` is `the name of a step`. */
export function checkText(text: string, what: string, longest: number): string {
  const length = Array.from(text).length;
  if (length === 0) throw verbUsage(`${what} must not be empty`);
  if (length > longest) throw verbUsage(`${what} has ${length} characters; at most ${longest} are taken`);
  if (CONTROL.test(text)) throw verbUsage(`${what} must not contain control characters such as line breaks`);
  return text;
}

/** `name#2` means the third occurrence of `name`, so no name may end like that itself. */
export function checkStepName(name: string, what = 'the name of a step'): string {
  checkText(name, what, MAX_CALL_NAME_LENGTH);
  if (/#\d+$/.test(name)) throw verbUsage(`${what} must not end with # and a number: ${JSON.stringify(name)}`);
  return name;
}

/**
 * What is recorded of a command that has run; `what` is `step build#0`. Refused output is recorded as a failure, so that
 * replays say the same.
 */
export function commandOutcome(what: string, result: ExecResult, instead = 'a file'): RecordedOutcome {
  const { exit_code, stdout, size, error } = result;
  const over = size - MAX_STEP_OUTPUT_BYTES;
  if (over <= 0) return { exit_code, output: stdout, message: error };
  const bytes = over === 1 ? '1 byte' : `${over} bytes`;
  const [kind] = what.split(' ');
  const message = `the output of ${what} is ${bytes} over the limit of 2 MiB (${MAX_STEP_OUTPUT_BYTES} bytes), so it is not recorded and the ${kind} counts as failed with exit code ${REFUSED}; write large data to ${instead} and print its name`;
  return { exit_code: REFUSED, output: Buffer.alloc(0), message };
}

/**
 * Has the caller run a command once, as a recorded call. With `settle` the server's verb of the site's kind records it
 * (see `PassJournal.durable`). With a policy it may have it run several times; the last attempt is the record.
 */
export async function runCommand(
  call: VerbCall,
  site: SiteCall,
  command: readonly string[],
  { settle, policy }: { settle?: (outcome: RecordedOutcome) => unknown; policy?: CommandPolicy | undefined } = {},
): Promise<VerbOutcome> {
  const { kind, name } = site;
  const run = async (at: OpenSite) => {
    const shown = siteOf({ kind, name, ordinal: at.ordinal });
    const once = async (attempt?: CommandAttempt) => {
      const result = await call.exec(command, at.key, MAX_STEP_OUTPUT_BYTES, attempt && { ...attempt, site: shown });
      return { ...commandOutcome(`step ${shown}`, result), final: result.final };
    };
    return policy === undefined ? await once() : await tryAll(at, policy, once);
  };
  const answered = await call.pass.durable(site, run, settle);
  const outcome = answer(answered);
  // The client has captured what it ran, and echoes it itself; refused output is not echoed.
  return answered.replayed ? outcome : { ...outcome, stdout: undefined };
}
