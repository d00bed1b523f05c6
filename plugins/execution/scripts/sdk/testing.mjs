// Tests of workflows in memory: the SDK's own code, replay guard included, without a server and without waiting.
import { SvcError } from './errors.mjs';
import { callOf, Delayed, Failure } from './test-results.mjs';
import { TestRun } from './test-run.mjs';
import { decodeResult, millisecondsOf } from './values.mjs';
import { expectNoServe } from './workflow.mjs';

/** A failure in place of a result. */
export const fail = (message = 'it failed', options = {}) => new Failure(message, options);

/** A signal, an event or an ask that arrives this long after the beginning of the run. */
export const after = (duration, payload) => new Delayed(millisecondsOf(duration, 'the time'), payload);

const FAILED = 'function_failed';

function errorOf(error) {
  const code = error?.code === 'input_invalid' ? error.code : FAILED;
  const message = error instanceof Error ? error.message : String(error);
  return new SvcError(code, message, '', { cause: error });
}

const overdue = () => new SvcError('deadline_exceeded', 'the run took longer than its timeout');

function statusOf(end) {
  if (end.waitsFor !== undefined) return { status: 'waiting', waitsFor: end.waitsFor };
  if (end.deadline === true) return { status: 'failed', error: overdue() };
  if ('error' in end) return { status: 'failed', error: errorOf(end.error) };
  return { status: 'succeeded', output: end.output };
}

/** Runs a workflow in memory. Rejects with `determinism_violation` when a pass makes other calls than the one before. */
export async function testRun(workflow, input, options = {}) {
  expectNoServe();
  const run = new TestRun(workflow, input, options);
  const end = await run.end();
  if (end.thrown !== undefined) throw end.thrown;
  if (end.differs !== undefined) throw run.violation(end.differs);
  return {
    ...statusOf(end),
    journal: run.records.map(shownRecord),
    passes: run.passes,
    logs: run.logs.map(({ pass, stream, text }) => ({ pass, stream, text })),
    notes: run.notes,
    emitted: run.emitted,
    answers: run.answers,
    spawned: run.spawned,
    elapsedMs: run.now_ms,
  };
}

/** As `svc steps --json` says it, and what the call answered. */
function shownRecord({ position, label, exit_code, message, output, ...call }) {
  return {
    ...callOf(call),
    position,
    label,
    status: 'recorded',
    exit_code,
    stdout: output.toString(),
    message,
    result: exit_code === 0 ? decodeResult(output) : undefined,
  };
}

/** Replays the history of a run, and answers where the workflow makes other calls. Nothing is executed. */
export async function replayRun(workflow, history, { input, env, vars } = {}) {
  const { records, open } = readHistory(history);
  const run = new TestRun(workflow, input, { env, vars, history: records, replayEveryCall: false });
  const end = await run.end();
  if (end.thrown !== undefined) throw end.thrown;
  const recorded = records.length;
  const verdict = (outcome, note, more = {}) => ({
    ok: more.difference === undefined,
    outcome,
    recorded,
    note,
    ...more,
  });
  const differs = end.differs ?? differenceAtEnd(end, open, recorded);
  if (differs !== undefined)
    return verdict('differs', run.violation(differs).message, { read: differs.position, difference: differs });
  if ('error' in end && end.read < recorded) {
    const note = `the workflow fails after ${end.read} of ${recorded} recorded calls: ${errorOf(end.error).message}`;
    return { ...verdict('ended', note, { read: end.read, error: errorOf(end.error) }), ok: false };
  }
  const all = `the workflow makes all ${recorded} recorded calls`;
  if (end.beyond !== undefined)
    return verdict(open === undefined ? 'anew' : 'waits', `${all}, and then ${end.beyond.kind} ${end.beyond.site}`, {
      read: recorded,
      next: end.beyond,
    });
  const { status, ...result } = statusOf(end);
  return verdict('same', `${all} and ${status === 'succeeded' ? 'ends' : `fails: ${result.error.message}`}`, {
    read: recorded,
    ...result,
  });
}

/** A run that waits continues with the call in which it waits. */
function differenceAtEnd({ beyond }, open, position) {
  if (open === undefined) return undefined;
  const present = beyond;
  const same = present?.kind === open.kind && present.name === open.name && present.ordinal === open.ordinal;
  return same ? undefined : { position, recorded: callOf(open), present };
}

/** Reads what `svc steps --json` and the API answer, or the journal of a test. */
function readHistory(history) {
  const steps = Array.isArray(history) ? history : history?.steps;
  if (!Array.isArray(steps) || steps.some((step) => !Number.isInteger(step?.position) || typeof step.kind !== 'string'))
    throw new SvcError(
      'usage',
      "this is not a run's history",
      "Pass the output of `svc steps <run> --json`, or a test's `journal`.",
    );
  // Activities of the run have journals of their own.
  const own = steps.filter(({ activity_id }) => activity_id === steps[0].activity_id);
  const done = own.filter(({ status = 'recorded' }) => status === 'recorded');
  const records = done
    .sort((one, other) => one.position - other.position)
    .map(({ position, kind, name, ordinal, label, exit_code = 0, message, stdout = '', stdout_base64 }) => ({
      position,
      kind,
      name,
      ordinal,
      label,
      exit_code,
      message,
      output: stdout_base64 === undefined ? Buffer.from(stdout) : Buffer.from(stdout_base64, 'base64'),
    }));
  if (records.some(({ position }, i) => position !== i))
    throw new SvcError('usage', 'the history is incomplete: positions are missing', 'Read all pages of it.');
  return { records, open: own.find(({ status }) => status === 'waiting' || status === 'retrying') };
}
