import { inTurn } from './turns.mjs';
import { StepError, SvcError, tooOld, WaitTimeoutError } from './errors.mjs';
import { readJson } from './numbers.mjs';
import { durationText, withoutLineEnd } from './values.mjs';

const TIMED_OUT = 124;
/** From this version on of the agent socket waits have timeouts. */
export const TIMEOUTS_PROTOCOL = 2;

/** What the verb says of a call that it did not take. Its last line is what to do. */
function refusal(code, stderr = '') {
  const lines = stderr
    .trim()
    .replace(/^svc [\w-]+: /, '')
    .split('\n');
  const next = lines.length > 1 ? lines.pop() : '';
  return new SvcError(code, lines.join('\n'), next);
}

/**
 * Calls a verb. `recorded` is the name of the step that it records, if it does nothing else. `run` does what the verb asks to be
 * run in the caller's place and answers `{exit, stdout, size, error?, final?}`. `needs` is the protocol that the options need.
 * Answers `{exit, stdout, kind, message, replayed}`, whatever the exit code; throws when the call was refused, so that nothing is
 * recorded.
 */
export function callVerb(verb, args, { stdin, run, needs, call, recorded } = {}) {
  const make = async (channel) => {
    const record = recorded === undefined ? undefined : await channel.recordedStep?.(recorded);
    if (record !== undefined) return recordedOutcome(record);
    const protocol = needs === undefined ? undefined : await channel.protocol();
    if (protocol < needs) throw tooOld(verb, protocol, needs);
    const cwd = process.cwd();
    const request = { op: 'call', verb, args, cwd, stdin: stdin?.toString('base64'), exec: run !== undefined };
    let answer = await channel.ask(request);
    let ran;
    // Once for each attempt.
    while (answer.exec !== undefined && run !== undefined) {
      ran = await run(answer, channel);
      const { exit, stdout, size, error, final } = ran;
      const result = { op: 'result', exit, stdout: stdout.toString('base64'), size, error, final };
      try {
        answer = await channel.ask(result);
      } catch (error) {
        channel.close();
        throw error;
      }
      if (size > answer.limit) ran = undefined;
    }
    return outcome(answer, ran);
  };
  return inTurn(verb, make, call);
}

const recordedOutcome = ({ kind, exit_code: exit, output, message = '' }) => ({
  ...{ exit, kind, message, replayed: true },
  stdout: Buffer.from(output, 'base64'),
});

/** What a verb turned down by itself, so that there is no record. It may begin with a code. */
function unrecorded(what, exit, message) {
  const [, code = 'refused', text = message] = /^([a-z]+(?:_[a-z]+)+): (.+)$/s.exec(message) ?? [];
  return new SvcError(code, text === '' ? `${what} ended with exit code ${exit}` : text);
}

function outcome(answer, ran) {
  const { exit, stdout, stderr, kind = '', message = '', replayed = false, code } = answer;
  if (typeof exit !== 'number') throw new SvcError('agent_answer_invalid', 'the agent sent an unknown request');
  if (code !== undefined) throw refusal(code, stderr);
  const own = ran !== undefined && ran.size === ran.stdout.length ? ran.stdout : Buffer.alloc(0);
  return { exit, stdout: stdout === undefined ? own : Buffer.from(stdout, 'base64'), kind, message, replayed };
}

/** The stdout of a verb that was carried out. Throws `StepError` when what it recorded is a failure. */
export async function demand(what, verb, args, options) {
  const { exit, stdout, kind, message } = await callVerb(verb, args, options);
  if (exit !== 0 && kind === '') throw unrecorded(what, exit, message);
  if (exit !== 0) throw new StepError(what, { exit_code: exit, reason: message, stdout });
  return stdout;
}

/** As `demand`, as text. */
export const demandText = async (what, verb, args, options) => withoutLineEnd(await demand(what, verb, args, options));

/** A wait that may have an end; throws `WaitTimeoutError` then. */
export async function wait(what, verb, name, timeout, flags = []) {
  const limit = timeout === undefined ? [] : [`--timeout=${durationText(timeout, 'timeout')}`];
  const needs = timeout === undefined ? undefined : TIMEOUTS_PROTOCOL;
  const { exit, stdout, message } = await callVerb(verb, [...limit, ...flags, '--', name], { needs });
  if (exit === TIMED_OUT) throw new WaitTimeoutError(what, durationText(timeout, 'timeout'));
  if (exit !== 0) throw new StepError(what, { exit_code: exit, reason: message });
  return readJson(stdout.toString());
}
