import { StepError } from './errors.mjs';
import { ATTEMPTS_PROTOCOL, inTime, isFinal, isTimeout, policyOptions, TIMED_OUT } from './policy.mjs';
import { asStep, inTurn, traceparentOf } from './turns.mjs';
import { decodeResult, encodeResult, exitCodeOf, OUTPUT_BYTES, reasonOf } from './values.mjs';
import { callVerb } from './verbs.mjs';

/** What a verb that runs commands is told in place of a command when a function is run. */
export const FUNCTION = 'function';

export const quoted = (name) => JSON.stringify(name);
export const option = (name, value) => (value === undefined ? [] : [`--${name}=${value}`]);

const traceOf = (key) => {
  const traceparent = traceparentOf(key);
  return traceparent === undefined ? {} : { traceparent };
};

/** Runs a function to its outcome, as a command comes to one. `cause` is what it threw. */
export async function runFunction(work, { timeout_ms, ...step }) {
  const { site, key: idempotencyKey, attempt } = step;
  try {
    const value = await asStep(step, () =>
      inTime(timeout_ms, async (signal) => work({ site, idempotencyKey, attempt, signal, ...traceOf(idempotencyKey) })),
    );
    const bytes = encodeResult(value);
    return { exit: 0, stdout: bytes.subarray(0, OUTPUT_BYTES + 1), size: bytes.length };
  } catch (cause) {
    const none = { stdout: Buffer.alloc(0), size: 0, cause };
    if (isTimeout(cause)) return { exit: TIMED_OUT, ...none };
    return { exit: exitCodeOf(cause), ...none, error: reasonOf(cause), final: isFinal(cause) || undefined };
  }
}

export async function stepFunction(name, work, label) {
  return await inTurn('step', async (channel, pass) => {
    const begun = await channel.begin(name, label);
    let { record } = begun;
    let cause;
    if (begun.run === true) {
      const { cause: thrown, final: _, ...end } = await runFunction(work, { name, site: begun.site, key: begun.key });
      cause = thrown;
      try {
        const ended = channel.end({ ...end, stdout: end.stdout.toString('base64') });
        // Steps made at the same time share a commit; this one is answered when its record is durable.
        if (channel.goesOn) pass();
        ({ record } = await ended);
      } catch (error) {
        channel.close();
        throw error;
      }
    }
    const { exit_code, message: reason, output } = record;
    if (exit_code !== 0) throw new StepError(`step ${quoted(name)}`, { exit_code, reason, cause });
    return decodeResult(Buffer.from(output, 'base64'));
  });
}

/** A function with a policy: as the verb has a command run, once for each attempt. */
export async function triedFunction(name, work, { label, ...policy }) {
  let cause;
  const { exit, stdout, message } = await callVerb(
    'step',
    [...option('label', label), ...policyOptions(policy), name, '--', FUNCTION],
    {
      needs: ATTEMPTS_PROTOCOL,
      run: async ({ key, site, attempt, timeout_ms }) => {
        const ran = await runFunction(work, { name, site, key, attempt, timeout_ms });
        cause = ran.cause;
        return ran;
      },
    },
  );
  if (exit !== 0) throw new StepError(`step ${quoted(name)}`, { exit_code: exit, reason: message, cause });
  return decodeResult(stdout);
}
