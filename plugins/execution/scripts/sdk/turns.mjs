import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Channel } from './channel.mjs';
import { Line } from './together.mjs';
import { insideAStep, notInAScript } from './errors.mjs';

/** Taken now, so that no program with timers of its own keeps results from being handed over. */
const soon = globalThis.setImmediate;

/**
 * What all copies of the SDK in a process share, so that two of them do not wait for each other: the connection,
 * whose turn it is, and which step is being run where.
 */
const KEY = Symbol.for('svc.sdk/1');
/** What a process was started with: `{path, input_file, variables}`, every `SVC_*` in the last. */
export const environment = () => ({
  path: process.env.SVC_AGENT_SOCKET,
  input_file: process.env.SVC_INPUT_FILE,
  variables: Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('SVC_'))),
});
/** Of this copy, unless another one was used first. */
export const ownState = {
  ...environment(),
  steps: new AsyncLocalStorage(),
  tail: Promise.resolve(),
  channel: undefined,
};

/** The state of each run of a worker, where this process runs many. Whatever a run calls finds its own here. */
const RUNS = Symbol.for('svc.sdk/1.runs');
export const openRuns = () => (globalThis[RUNS] ??= new AsyncLocalStorage());
/** Whether this is neither a script of a run nor a function of a worker. */
export const isOutsideOfRuns = () => presentRun() === undefined && !process.env.SVC_AGENT_SOCKET;

export const presentRun = () => globalThis[RUNS]?.getStore();

/** Frozen, because all passes of a run have the same. */
const readOnly = (values = {}) => Object.freeze({ ...values });

/** The variables of a script's run, and the file that they come from. */
const vars_of_script = { file: undefined, values: undefined };

/**
 * The variables of the project and its org in the run of this call; undefined outside of runs. A script finds them next to
 * its input. A run without variables has no such file, and neither has one on an older agent.
 */
export function presentVars() {
  const run = presentRun();
  // Another copy of the SDK, which knows none, may have made the state.
  if (run !== undefined) return run.vars ?? readOnly();
  const input_file = inputFile();
  if (input_file === undefined) return undefined;
  const file = join(dirname(input_file), 'vars.json');
  if (vars_of_script.file !== file)
    Object.assign(vars_of_script, { file, values: readOnly(existsSync(file) ? readVars(file) : {}) });
  return vars_of_script.values;
}

const readVars = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** The state of a run of a worker: as that of a script's process, with a channel that nothing replaces. */
export const runState = ({ envelope, env, vars, trace, channel }) => ({
  envelope,
  env,
  vars: readOnly(vars),
  variables: trace === undefined ? {} : { SVC_TRACE: trace },
  steps: ownState.steps,
  tail: Promise.resolve(),
  path: 'worker',
  channel,
  shares_process: true,
});

/** The retry policy of a workflow, for its steps that name none. */
export const presentRetry = () => state().retry;
export const setRetry = (retry) => {
  state().retry = retry;
};

const state = () => presentRun() ?? (globalThis[KEY] ??= ownState);

/** Whether any copy of the SDK in this process has used its connection. */
export const hasMadeCalls = () => globalThis[KEY]?.channel !== undefined;

export const inputFile = () => state().input_file;

/** The variables that the run of this call has; those of the process in a script. */
export const presentEnv = () => presentRun()?.env ?? process.env;

/** The span of a step, which has the beginning of its key for an id; undefined when the server does not trace. */
export function traceparentOf(key) {
  const [trace_id, flags] = (state().variables.SVC_TRACE ?? '').split('-');
  return flags ? `00-${trace_id}-${key.slice(0, 16)}-${flags}` : undefined;
}

/** The variable that programs find it in. */
export function stepTrace(key) {
  const traceparent = traceparentOf(key);
  return traceparent === undefined ? {} : { TRACEPARENT: traceparent };
}

/** The step whose function is calling: `{name, site, key, over}`. */
export function presentStep() {
  const step = state().steps.getStore();
  return step === undefined || step.over ? undefined : step;
}

/**
 * Runs `work(channel, pass)` when all calls made before have ended, in the order in which they were made. `pass` lets the
 * next one begin while this one still waits for its answer.
 */
export function inTurn(what, work, call) {
  const step = presentStep();
  if (step !== undefined) return Promise.reject(insideAStep(what, step.name));
  const shared = state();
  if (shared.path === undefined || shared.path === '') return Promise.reject(notInAScript('SVC_AGENT_SOCKET'));
  let pass;
  const passed = new Promise((resolve) => {
    pass = resolve;
  });
  const result = shared.tail.then(() => {
    // An older copy's channel begins no steps; it uses ours from now on.
    const replaced = shared.channel?.begin === undefined || shared.channel.closed;
    if (replaced && !shared.shares_process) shared.channel = new Channel(shared.path);
    return work(shared.channel, pass);
  });
  result.then(pass, pass);
  shared.tail = passed;
  // Only where runs share the process: a script's step has the environment of the process.
  if (shared.shares_process) lineOf(shared).add(call, result);
  return inOrder(result);
}

const lineOf = (shared) => (shared.line ??= new Line());

/** The calls of the present run that are not answered. */
export const presentLine = () => lineOf(state());

/**
 * Hands results over in the order of the calls, and the next one when whatever the one before has set off has been done: the
 * calls that come of it have the same order on every pass, though answers may come together on one and apart on another.
 */
async function inOrder(result) {
  const shared = state();
  const before = shared.handed;
  let over;
  shared.handed = new Promise((resolve) => {
    over = resolve;
  });
  shared.open = (shared.open ?? 0) + 1;
  try {
    return await result;
  } finally {
    await before;
    shared.open -= 1;
    // Nobody waits for this one when there is no other.
    if (shared.open === 0) over();
    else soon(() => over());
  }
}

/**
 * Runs the function of a step where no process that it starts can reach the agent: of the variables of the service it
 * sees the key alone, and which attempt it is where it is tried again.
 */
export async function asStep(step, work) {
  const shared = state();
  if (shared.shares_process) return await asStepOfMany(shared, step, work);
  for (const name in shared.variables) delete process.env[name];
  process.env.SVC_IDEMPOTENCY_KEY = step.key;
  const { TRACEPARENT: own, ATTEMPT: before } = process.env;
  if (step.attempt !== undefined) process.env.ATTEMPT = String(step.attempt);
  const span = stepTrace(step.key);
  Object.assign(process.env, span);
  try {
    return await shared.steps.run(step, work);
  } finally {
    step.over = true;
    delete process.env.SVC_IDEMPOTENCY_KEY;
    if (before !== undefined) process.env.ATTEMPT = before;
    else if (step.attempt !== undefined) delete process.env.ATTEMPT;
    if (own !== undefined) process.env.TRACEPARENT = own;
    else if (span.TRACEPARENT !== undefined) delete process.env.TRACEPARENT;
    Object.assign(process.env, shared.variables);
  }
}

/** Where other runs share the process, its environment is nobody's: a function is given its key instead. */
async function asStepOfMany(shared, step, work) {
  try {
    return await shared.steps.run(step, work);
  } finally {
    step.over = true;
  }
}
