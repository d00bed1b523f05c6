import { MAX_CALL_NAME_LENGTH, MAX_STEP_OUTPUT_BYTES, siteOf } from '../../../engine/runs/contract.ts';
import { type OpenSite, type RecordedOutcome, type SiteCall, verbUsage } from '../../replay/contract.ts';
import { type CommandAttempt, type CommandPolicy, runAttempts } from './policy.ts';
import { toOutcome, type ExecResult, type VerbCall, type VerbOutcome } from './verb.ts';

/** Exit code of a command whose output is rejected. */
const REJECTED_OUTPUT = 1;

const CONTROL = /\p{Cc}/u;

/**
 * Returns the text if a record and a site can hold it, otherwise throws `verb_usage`. `what` is for example `the name
 * of a step`.
 */
export function checkText(text: string, what: string, longest: number): string {
  const length = Array.from(text).length;
  if (length === 0) throw verbUsage(`${what} must not be empty`);
  if (length > longest) throw verbUsage(`${what} is ${length} characters long; at most ${longest} are allowed`);
  if (CONTROL.test(text)) throw verbUsage(`${what} must not contain control characters such as line breaks`);
  return text;
}

/** Returns a valid step name. `name#2` means the third occurrence of `name`, so no name may end like that. */
export function checkStepName(name: string, what = 'the name of a step'): string {
  checkText(name, what, MAX_CALL_NAME_LENGTH);
  if (/#\d+$/.test(name)) throw verbUsage(`${what} must not end with # and a number: ${JSON.stringify(name)}`);
  return name;
}

/**
 * Returns what is recorded of a command that has run; `what` is for example `step build#0`. Rejected output is
 * recorded as a failure, so that replays see the same.
 */
export function commandOutcome(what: string, result: ExecResult, instead = 'a file'): RecordedOutcome {
  const { exit_code, stdout, size, error } = result;
  const excess_bytes = size - MAX_STEP_OUTPUT_BYTES;
  if (excess_bytes <= 0) return { exit_code, output: stdout, message: error };
  const bytes = excess_bytes === 1 ? '1 byte' : `${excess_bytes} bytes`;
  const [kind] = what.split(' ');
  const message = `the output of ${what} is ${bytes} over the limit of 2 MiB (${MAX_STEP_OUTPUT_BYTES} bytes), so it is not recorded and the ${kind} counts as failed with exit code ${REJECTED_OUTPUT}; write large data to ${instead} and print its name`;
  return { exit_code: REJECTED_OUTPUT, output: Buffer.alloc(0), message };
}

/**
 * Has the caller run a command once, as a recorded call. With `settle`, the server's verb of the site's kind records
 * it (see `PassJournal.durable`). With a policy the command may run several times; the last attempt is recorded.
 */
export async function runCommand(
  call: VerbCall,
  site: SiteCall,
  command: readonly string[],
  {
    settle: buildArgs,
    policy,
  }: { settle?: (outcome: RecordedOutcome) => unknown; policy?: CommandPolicy | undefined } = {},
): Promise<VerbOutcome> {
  const { kind, name } = site;
  const run = async (at: OpenSite) => {
    const step_site = siteOf({ kind, name, ordinal: at.ordinal });
    const once = async (attempt?: CommandAttempt) => {
      const result = await call.exec(
        command,
        at.key,
        MAX_STEP_OUTPUT_BYTES,
        attempt && { ...attempt, site: step_site },
      );
      return { ...commandOutcome(`step ${step_site}`, result), final: result.final };
    };
    return policy === undefined ? await once() : await runAttempts(at, policy, once);
  };
  const result = await call.pass.durable(site, run, buildArgs);
  const outcome = toOutcome(result);
  // The client has captured the output and echoes it itself; rejected output is not echoed.
  return result.replayed ? outcome : { ...outcome, stdout: undefined };
}
