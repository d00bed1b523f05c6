import { misused, SvcError } from './errors.mjs';
import { readJson, writeJson } from './numbers.mjs';
import { checkOptions, durationText } from './values.mjs';
import { hasMadeCalls, isOutsideOfRuns, presentStep } from './turns.mjs';
import { demandText } from './verbs.mjs';

/** The workflows of this process, for all copies of the SDK in it. */
const REGISTRY = Symbol.for('svc.sdk/1.workflows');
const registry = () => (globalThis[REGISTRY] ??= new Map());

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;
const VERSION = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;
const OPTIONS = ['input', 'retry', 'timeout', 'concurrency', 'priority', 'versions', 'version'];
const CONCURRENCY = ['key', 'limit', 'throttle', 'group', 'policy', 'perWorker'];
const POLICIES = ['queue', 'cancel-pending', 'cancel-running'];
const VERSIONS = ['replay', 'pinned'];
const MAX_WORKFLOWS = 60;

export const registered = () => [...registry().values()];

/** Defines a workflow. The result can be submitted, called, and tested. */
export function workflow(name, options, body) {
  if (typeof options === 'function') return workflow(name, {}, options);
  if (typeof name !== 'string' || !NAME.test(name))
    throw misused('a workflow name must have 1 to 40 letters, digits, - and _, and start with a letter or digit');
  if (typeof body !== 'function') throw misused(`the workflow ${JSON.stringify(name)} needs a function`);
  const surplus = Object.keys(options).find((option) => !OPTIONS.includes(option));
  if (surplus !== undefined)
    throw misused(`unknown workflow option ${JSON.stringify(surplus)}; use ${OPTIONS.join(', ')}`);
  const known = registry();
  if (known.has(name)) throw misused(`there are two workflows with the name ${JSON.stringify(name)} in this process`);
  if (known.size >= MAX_WORKFLOWS) throw misused(`a process can have at most ${MAX_WORKFLOWS} workflows`);
  const defined = Object.freeze({ name, options: checked(options), body });
  known.set(name, defined);
  if (known.size === 1) expectServe(known);
  return defined;
}

/** In a run, a script that defines workflows but neither serves one nor calls anything fails: it would succeed without having done anything. */
function expectServe(known) {
  if (!process.env.SVC_AGENT_SOCKET) return;
  process.once('beforeExit', () => {
    if (known.isServed || hasMadeCalls()) return;
    const names = [...known.keys()].map((name) => JSON.stringify(name)).join(', ');
    process.stderr.write(
      `svc: this script defines ${names} and runs none of them. Add await serve() at its end, or serve the file with ` +
        '`svc worker` and submit by name: svc submit --function <name>. (workflow_not_served)\n',
    );
    process.exitCode ||= 1;
  });
}

/** A script that tests its workflows has done something. */
export function expectNoServe() {
  registry().isServed = true;
}

function checked({ input, retry, timeout, concurrency, priority, versions = 'replay', version }) {
  if (!VERSIONS.includes(versions))
    throw misused(`versions must be "replay" or "pinned", not ${JSON.stringify(versions)}`);
  if (version !== undefined && (typeof version !== 'string' || !VERSION.test(version)))
    throw misused('a workflow version must have 1 to 40 letters, digits, and . _ -');
  if (typeof priority === 'number' ? !isWhole(priority, 0, 9) : priority !== undefined && !isText(priority))
    throw misused('priority must be a whole number from 0 to 9, or an expression such as "input.urgent ? 5 : 0"');
  if (input !== undefined && (typeof input !== 'object' || input === null) && typeof input !== 'function')
    throw misused('input must be a JSON Schema or a Standard Schema, for example from zod');
  return Object.freeze({
    input,
    retry,
    timeout: timeout === undefined ? undefined : durationText(timeout, 'timeout'),
    concurrency: checkedConcurrency(concurrency),
    priority,
    versions,
    version,
  });
}

const isWhole = (value, least, most) => Number.isInteger(value) && value >= least && value <= most;
const isText = (value) => typeof value === 'string' && value !== '';

/** A number for each worker, or how the runs take turns. Written as the server reads it. */
function checkedConcurrency(concurrency) {
  if (concurrency === undefined) return undefined;
  if (typeof concurrency !== 'object') {
    if (Number.isInteger(concurrency) && concurrency >= 1) return concurrency;
    throw misused('concurrency must be a whole number of runs, at least 1, or an object such as { key, limit }');
  }
  checkOptions('concurrency', concurrency, CONCURRENCY);
  const { key, limit, throttle, group, policy, perWorker } = concurrency;
  for (const [name, text] of Object.entries({ key, group }))
    if (text !== undefined && !isText(text)) throw misused(`the ${name} of concurrency must be a non-empty string`);
  if (limit !== undefined && !isWhole(limit, 1, 1000))
    throw misused('the limit of concurrency must be a whole number from 1 to 1000');
  if (perWorker !== undefined && !isWhole(perWorker, 1, 10_000))
    throw misused('perWorker must be a whole number from 1 to 10000');
  if (policy !== undefined && !POLICIES.includes(policy))
    throw misused(`the policy of concurrency must be ${POLICIES.join(', ')}, not ${JSON.stringify(policy)}`);
  const given = { key, limit, throttle: checkedThrottle(throttle), group, policy, per_worker: perWorker };
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  if (set.length === 0) throw misused(`concurrency must have one of ${CONCURRENCY.join(', ')}`);
  return Object.freeze(Object.fromEntries(set));
}

function checkedThrottle(throttle) {
  if (throttle === undefined) return undefined;
  checkOptions('throttle', throttle, ['limit', 'period']);
  const { limit, period } = throttle;
  if (!isWhole(limit, 1, 1000)) throw misused('the limit of throttle must be a whole number from 1 to 1000');
  return { limit, period: durationText(period, 'the period of throttle') };
}

const isStandard = (schema) => schema !== undefined && typeof schema['~standard']?.validate === 'function';

/** The JSON Schema of an input; undefined for a library that cannot say it. */
export function jsonSchemaOf({ input }) {
  if (input === undefined) return undefined;
  if (!isStandard(input)) return input;
  const standard = input['~standard'].jsonSchema;
  try {
    if (typeof standard?.input === 'function') return standard.input({ target: 'draft-2020-12' });
    if (typeof input.toJsonSchema === 'function') return input.toJsonSchema();
  } catch {
    // The schema transforms its input in a way that JSON Schema has no words for; the worker still checks it.
  }
  return undefined;
}

/** The input as the body is given it. Throws `input_invalid` with the place of each fault. */
export async function checkedInput({ name, options: { input: schema } }, value) {
  if (!isStandard(schema)) return value;
  const { issues, value: read } = await schema['~standard'].validate(value);
  if (issues === undefined) return read;
  const faults = issues.slice(0, 10).map(({ path = [], message }) => {
    const pointer = path.map((part) => `/${String(typeof part === 'object' ? part.key : part)}`).join('');
    return `${pointer === '' ? 'the input' : pointer}: ${message}`;
  });
  throw new SvcError(
    'input_invalid',
    `the workflow ${JSON.stringify(name)} does not accept this input: ${faults.join('; ')}`,
    'Submit it again with a valid input.',
  );
}

const nameOf = (target) => (typeof target === 'string' ? target : target?.name);

/** Runs a workflow of a worker as a run of its own, and answers its output. */
export async function call(target, input) {
  const name = nameOf(target);
  if (typeof name !== 'string') throw misused('call needs a workflow, or the name of one');
  const text = input === undefined ? undefined : writeJson(input);
  if (input !== undefined && text === undefined) throw misused(`a call's input must be JSON`);
  const args = [...(text === undefined ? [] : [`--input=${text}`]), '--', 'function', name];
  return readJson(await demandText(`the call of ${JSON.stringify(name)}`, 'call', args));
}

/** As Promise.all. The calls are recorded in the order in which they were made. */
export const all = (calls) => Promise.all(calls);

/** Starts a run from any program, and answers its handle. */
export async function submit(target, input, options = {}) {
  const name = nameOf(target);
  if (typeof name !== 'string') throw misused('submit needs a workflow, or the name of one');
  const step = presentStep();
  if (step === undefined && !isOutsideOfRuns())
    throw misused('submit is not recorded: use call in a run, or submit inside a step');
  const { submitRun } = await import('./client.mjs');
  return await submitRun(name, input, { idempotencyKey: step?.key, ...options });
}

/** Returns the handle of a run that another program has started. */
export async function runHandle(run_id, options = {}) {
  if (typeof run_id !== 'string' || run_id === '') throw misused('a run ID must be a non-empty string');
  checkOptions('runHandle', options, ['server']);
  const { openHandle } = await import('./client.mjs');
  return await openHandle(run_id, options.server);
}

/** Serves the workflows of this process. */
export async function serve(options = {}) {
  registry().isServed = true;
  const { serveWorkflows } = await import('./serve.mjs');
  return await serveWorkflows(options);
}
