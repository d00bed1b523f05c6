import { StepError } from './errors.mjs';
import { ATTEMPTS_PROTOCOL, inTime, isFinal, isTimeout, policyOptions, TIMED_OUT } from './policy.mjs';
import { link, StepCall } from './together.mjs';
import { asStep, inTurn, presentLine, traceparentOf } from './turns.mjs';
import { decodeResult, encodeResult, exitCodeOf, millisecondsOf, OUTPUT_BYTES, reasonOf } from './values.mjs';
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
export async function runFunction(work, { timeout_ms, call, ...step }) {
  const { site, key: idempotencyKey, attempt } = step;
  try {
    const value = await asStep(step, () =>
      inTime(
        timeout_ms,
        async (late) =>
          work({
            site,
            idempotencyKey,
            attempt,
            get signal() {
              return call === undefined ? late : call.signalWith(late);
            },
            ...traceOf(idempotencyKey),
          }),
        call && ((listener) => call.whenLost(listener)),
      ),
    );
    const bytes = encodeResult(value);
    return { exit: 0, stdout: bytes.subarray(0, OUTPUT_BYTES + 1), size: bytes.length };
  } catch (cause) {
    const none = { stdout: Buffer.alloc(0), size: 0, cause };
    if (isTimeout(cause)) return { exit: TIMED_OUT, ...none };
    return { exit: exitCodeOf(cause), ...none, error: reasonOf(cause), final: isFinal(cause) || undefined };
  }
}

/** Makes a call of a step that may start before its turn. Answers its promise. */
function stepCall(name, work, policy, make) {
  const call = new StepCall(name, (own, at) => runFunction(work, { ...at, call: own }), policy);
  const line = presentLine();
  call.ordinal = line.count(name);
  return link(counted(line, make(call, line)), call);
}

/** What was refused has no position, so that nobody knows the ordinals of what follows. */
async function counted(line, made) {
  try {
    return await made;
  } catch (error) {
    if (!(error instanceof StepError)) line.loseCount();
    throw error;
  }
}

export const stepFunction = (name, work, label) =>
  stepCall(name, work, undefined, (call, line) => makeStep(name, { call, line, label }));

async function makeStep(name, { call, line, label }) {
  const make = async (channel, pass) => {
    const begun = await channel.begin(name, label);
    let { record } = begun;
    let cause;
    if (begun.run === true) {
      line.begin(channel);
      try {
        const { cause: thrown, final: _, ...end } = await call.attempt({ name, site: begun.site, key: begun.key });
        cause = thrown;
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
  };
  return await inTurn('step', make, call);
}

/** A function with a policy: as the verb has a command run, once for each attempt. */
export function triedFunction(name, work, { label, ...policy }) {
  const { retry, timeout } = policy;
  const attempts = typeof retry === 'number' ? retry : retry?.attempts;
  const timeout_ms = timeout === undefined ? undefined : millisecondsOf(timeout);
  const options = policyOptions(policy);
  return stepCall(name, work, { attempts, timeout_ms }, (call, line) => trySteps(name, { call, line, label, options }));
}

async function trySteps(name, { call, line, label, options }) {
  let cause;
  const { exit, stdout, message } = await callVerb(
    'step',
    [...option('label', label), ...options, name, '--', FUNCTION],
    {
      needs: ATTEMPTS_PROTOCOL,
      call,
      recorded: name,
      run: async ({ key, site, attempt, timeout_ms }, channel) => {
        line.begin(channel);
        const ran = await call.attempt({ name, site, key, attempt, timeout_ms }).catch((error) => {
          channel.close();
          throw error;
        });
        cause = ran.cause;
        return ran;
      },
    },
  );
  if (exit !== 0) throw new StepError(`step ${quoted(name)}`, { exit_code: exit, reason: message, cause });
  return decodeResult(stdout);
}
