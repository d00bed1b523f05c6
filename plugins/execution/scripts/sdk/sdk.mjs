// The SDK for TypeScript and JavaScript. sdk.d.mts says what everything takes, answers and throws.
import { readFileSync } from 'node:fs';
import {
  inputFile,
  isOutsideOfRuns,
  presentEnv,
  presentLine,
  presentRetry,
  presentRun,
  presentStep,
  presentVars,
} from './turns.mjs';
import { runCommand, words } from './command.mjs';
import { misused, notInAScript, StepError, SvcError, WaitTimeoutError } from './errors.mjs';
import { readJson, writeJson } from './numbers.mjs';
import { dataOf, stepsOf, walk } from './paths.mjs';
import { checkOptions, decodeResult, durationText, withoutLineEnd } from './values.mjs';
import { FUNCTION, option, quoted, runFunction, stepFunction, triedFunction } from './functions.mjs';
import { ATTEMPTS_PROTOCOL, policyOptions } from './policy.mjs';
import { callVerb, demand, demandText, TIMEOUTS_PROTOCOL, wait } from './verbs.mjs';

export { StepError, SvcError, WaitTimeoutError } from './errors.mjs';
export { NonRetryableError } from './policy.mjs';
export { race } from './together.mjs';
export { all, call, runHandle, serve, submit, workflow } from './workflow.mjs';

const TIMED_OUT = 124;
const STEP = ['label', 'retry', 'timeout'];
const COMMAND = ['cwd', 'env', 'input', 'echo'];

const timeoutOption = (timeout) => (timeout === undefined ? [] : [`--timeout=${durationText(timeout, 'timeout')}`]);
const each = (name, values = []) => [values].flat().map((value) => `--${name}=${value}`);

function checkName(name, what) {
  if (typeof name !== 'string' || name === '') throw misused(`${what} must be a non-empty string`);
}

const isTried = ({ retry, timeout }) => retry !== undefined || timeout !== undefined;

export function step(name, work, given = {}) {
  // `race` knows this promise, so that an async function would hide it.
  try {
    checkName(name, 'the name of a step');
    const options = { retry: presentRetry(), ...given };
    if (typeof work !== 'function') return commandStep(name, work, options);
    checkOptions('a step', given, STEP);
    return isTried(options) ? triedFunction(name, work, options) : stepFunction(name, work, options.label);
  } catch (error) {
    return Promise.reject(error);
  }
}

async function commandStep(name, work, options) {
  const { exitCode, stdout, reason } = await exec(name, work, options);
  if (exitCode !== 0) throw new StepError(`step ${quoted(name)}`, { exit_code: exitCode, reason, stdout });
  return withoutLineEnd(stdout);
}

export async function exec(name, command, given = {}) {
  checkName(name, 'the name of a step');
  checkOptions('a step', given, [...STEP, ...COMMAND]);
  const options = { retry: presentRetry(), ...given };
  if (!Array.isArray(command)) throw misused('a step is a function or a command: a list of strings');
  const { label, retry: _retry, timeout: _timeout, ...rest } = options;
  const args = [...option('label', label), ...policyOptions(options), name, '--', ...words(command)];
  const line = presentLine();
  line.count(name);
  const { exit, stdout, message, replayed } = await callVerb('step', args, {
    needs: isTried(options) ? ATTEMPTS_PROTOCOL : undefined,
    run: ({ key, limit, under = [] }) => runCommand([...under, ...command], { key, limit, ...rest }),
  }).catch((error) => {
    line.loseCount();
    throw error;
  });
  return { exitCode: exit, stdout, text: withoutLineEnd(stdout), reason: message, replayed };
}

export async function sleep(duration) {
  await demand('sleep', 'sleep', ['--', durationText(duration, 'the time to sleep')]);
}

export async function waitSignal(name, options = {}) {
  checkName(name, 'the name of a signal');
  checkOptions('waitSignal', options, ['timeout', 'form', 'approvers', 'message', 'envelope']);
  const { timeout, form, approvers = [], message, envelope = false } = options;
  const flags = [
    ...(form === undefined ? [] : [`--form=${typeof form === 'string' ? form : JSON.stringify(form)}`]),
    ...[approvers].flat().map((one) => `--approvers=${one}`),
    ...(message === undefined ? [] : [`--message=${message}`]),
    ...(envelope ? ['--envelope'] : []),
  ];
  return await wait(`the wait for the signal ${quoted(name)}`, 'wait-signal', name, timeout, flags);
}

/** Values for `when`, each as an argument of its own. */
const varFlags = (vars) =>
  Object.entries(vars).map(([name, value]) => `--var=${name}:=${JSON.stringify(value ?? null)}`);

export async function waitEvent(type, options = {}) {
  checkName(type, 'the type of an event');
  checkOptions('waitEvent', options, ['timeout', 'untrusted', 'when', 'vars']);
  const { timeout, untrusted = false, when, vars = {} } = options;
  const flags = [
    ...(untrusted ? ['--untrusted'] : []),
    ...(when === undefined ? [] : [`--when=${when}`]),
    ...varFlags(vars),
  ];
  return await wait(`the wait for the event ${quoted(type)}`, 'wait-event', type, timeout, flags);
}

export async function waitAsk(name, options = {}) {
  checkName(name, 'the name of an ask');
  checkOptions('waitAsk', options, ['timeout']);
  return await wait(`the wait for the ask ${quoted(name)}`, 'wait-ask', name, options.timeout);
}

export async function answer(ask, value) {
  const id = typeof ask === 'string' ? ask : ask?.id;
  checkName(id, 'the ID of an ask');
  const json = writeJson(value ?? null);
  if (json === undefined) throw misused(`a ${typeof value} cannot be an answer: it must be JSON`);
  return await demandText('answer', 'answer', ['--', id, '-'], { stdin: Buffer.from(json) });
}

export async function waitAny(what) {
  checkOptions('waitAny', what, ['signals', 'events', 'asks', 'timeout', 'untrusted', 'vars']);
  const { signals = [], events = [], asks = [], timeout, untrusted = false, vars = {} } = what;
  const names = [signals].flat().map((name) => `signal:${name}`);
  const awaited = [events].flat().map((one) => (typeof one === 'string' ? { type: one } : one));
  const types = awaited.map(({ type }) => `event:${type}`);
  const all = [...names, ...types, ...[asks].flat().map((name) => `ask:${name}`)];
  if (all.length === 0) throw misused('waitAny needs a signal, an event or an ask to wait for');
  const limit = timeout === undefined ? [] : [`timeout:${durationText(timeout, 'timeout')}`];
  const flags = [
    ...(untrusted ? ['--untrusted'] : []),
    ...awaited.flatMap(({ type, when }) => (when === undefined ? [] : [`--when=${type}=${when}`])),
    ...varFlags(vars),
  ];
  const args = [...flags, '--', ...all, ...limit];
  const shown = `the wait for the first of ${all.join(', ')}`;
  return readJson((await demand(shown, 'wait-any', args)).toString());
}

/** How many runs can hold a lock at once at most. */
const MAX_HOLDERS = 1000;

/** Does what is to be done under a lock. `thrown.cause` becomes what a function threw. */
const doer =
  (group, work, options, thrown) =>
  async ({ key, limit }) => {
    if (typeof work !== 'function') return await runCommand(work, { key, limit, ...options });
    const ran = await runFunction(work, { name: group, site: group, key });
    thrown.cause = ran.cause;
    return ran;
  };

function limitOption(limit) {
  if (limit === undefined) return [];
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= MAX_HOLDERS) return [`--limit=${limit}`];
  throw misused(`a lock's limit must be a whole number from 1 to ${MAX_HOLDERS}`);
}

function underLock(work) {
  if (work === undefined) return ['--fence'];
  return ['--', ...(typeof work === 'function' ? [FUNCTION] : words(work))];
}

export async function lock(group, work, options = {}) {
  checkName(group, 'the group of a lock');
  if (typeof work === 'object' && work !== null && !Array.isArray(work)) return await lock(group, undefined, work);
  checkOptions('a lock', options, ['limit', 'timeout', ...COMMAND]);
  const { limit, timeout, ...rest } = options;
  const thrown = {};
  const called = await callVerb('lock', [...limitOption(limit), ...timeoutOption(timeout), group, ...underLock(work)], {
    run: work === undefined ? undefined : doer(group, work, rest, thrown),
    needs: timeout === undefined ? undefined : TIMEOUTS_PROTOCOL,
  });
  const { exit, stdout, kind, message } = called;
  const what = `the lock ${quoted(group)}`;
  if (exit === TIMED_OUT && kind === 'lock') throw new WaitTimeoutError(what, durationText(timeout, 'timeout'));
  if (exit !== 0) throw new StepError(what, { exit_code: exit, reason: message, stdout, ...thrown });
  if (typeof work === 'function') return decodeResult(stdout);
  const text = withoutLineEnd(stdout);
  return work === undefined ? Number(text) : text;
}

const child = (name, command, options = {}) => {
  checkName(name, 'the name of an activity');
  checkOptions('an activity', options, ['requires', 'retry', 'timeout']);
  const { requires, ...policy } = options;
  return [...each('requires', requires), ...policyOptions(policy), name, '--', ...words(command)];
};

export async function activity(name, command, options) {
  return await demandText(`activity ${quoted(name)}`, 'activity', child(name, command, options));
}

export async function activitySubmit(name, command, options) {
  await demand(`activity ${quoted(name)}`, 'activity-submit', child(name, command, options));
}

export async function activityCollect(name) {
  checkName(name, 'the name of an activity');
  return await demandText(`activity ${quoted(name)}`, 'activity-collect', ['--', name]);
}

export async function activityWaitAll() {
  return Number(await demandText('the wait for all activities', 'activity-wait-all', []));
}

export async function spawn(file, options = {}) {
  if (isWorkflow(file))
    throw misused(`spawn runs a file; start ${quoted(file.name)} with submit inside a step, or with call`);
  checkOptions('spawn', options, ['as', 'tags']);
  const { as, tags } = options;
  const source = typeof file === 'object' && file !== null ? file.source : undefined;
  if (source === undefined) checkName(file, 'the file to spawn');
  const args = [...option('as', as), ...each('tag', tags), '--', source === undefined ? file : '-'];
  return await demandText('spawn', 'spawn', args, source === undefined ? {} : { stdin: Buffer.from(source) });
}

const isWorkflow = (value) => typeof value === 'object' && value !== null && typeof value.body === 'function';

const inputOption = (input) => (input === undefined ? [] : [`--input=${json(input, 'the input of a call')}`]);

function json(value, what) {
  const text = writeJson(value);
  if (text === undefined) throw misused(`${what} must be JSON, not a ${typeof value}`);
  return text;
}

export async function callNode(kind, config = {}, { input } = {}) {
  checkName(kind, 'the kind of a node');
  const args = [`--config=${json(config, 'the config of a node')}`, ...inputOption(input), '--', 'node', kind];
  return readJson(await demandText(`the call of node ${quoted(kind)}`, 'call', args));
}

export async function callGraph(graph, { input } = {}) {
  const { definition } = typeof graph === 'object' && graph !== null ? graph : {};
  if (definition === undefined) checkName(graph, 'the name of a graph');
  const what = definition === undefined ? `the call of graph ${quoted(graph)}` : 'the call of a graph';
  if (definition === undefined)
    return readJson(await demandText(what, 'call', [...inputOption(input), '--', 'graph', graph]));
  const stdin = Buffer.from(typeof definition === 'string' ? definition : json(definition, 'a graph'));
  return readJson(await demandText(what, 'call', [...inputOption(input), '--definition=-', '--', 'graph'], { stdin }));
}

export async function artifactPut(source, { as } = {}) {
  checkName(source, 'the folder or file');
  const text = await demandText('artifact put', 'artifact', ['put', ...option('as', as), '--', source]);
  return text.split('\n');
}

export async function emit(type, options = {}) {
  checkName(type, 'the type of an event');
  checkOptions('emit', options, ['key', 'payload']);
  const { key, payload } = options;
  const json = writeJson(payload ?? null);
  if (json === undefined) throw misused(`a ${typeof payload} cannot be emitted: it must be JSON`);
  if (isOutsideOfRuns()) {
    const { emitEvent } = await import('./client.mjs');
    return await emitEvent(type, key, payload ?? null);
  }
  const stdin = Buffer.from(json);
  return await demandText('emit', 'emit', [...option('key', key), '--payload=-', '--', type], { stdin });
}

/** How the reason begins why there was nothing to get. */
const ABSENT = 'no state ';

const entityOption = ({ entity } = {}) => option('entity', entity);

export const state = Object.freeze({
  async get(key, options) {
    const { exit, stdout, message } = await callVerb('state', [...entityOption(options), '--', 'get', key]);
    if (exit === 1 && message.startsWith(ABSENT)) return undefined;
    if (exit !== 0) throw new StepError('state get', { exit_code: exit, reason: message });
    return withoutLineEnd(stdout);
  },
  async getJson(key, options) {
    const text = await state.get(key, options);
    return text === undefined ? undefined : readJson(text);
  },
  async set(key, value, options) {
    const text = typeof value === 'string' ? value : writeJson(value);
    if (text === undefined) throw misused(`a ${typeof value} cannot be stored: it must be a string or JSON`);
    const stdin = Buffer.from(text);
    await demand('state set', 'state', [...entityOption(options), '--', 'set', key, '-'], { stdin });
  },
  async delete(key, options) {
    await demand('state delete', 'state', [...entityOption(options), '--', 'delete', key]);
  },
  async list(options) {
    const text = await demandText('state list', 'state', [...entityOption(options), '--', 'list']);
    return text === '' ? [] : text.split('\n');
  },
});

export const output = Object.freeze({
  async set(values) {
    const pairs = Object.entries(values).map(([key, value]) => {
      if (key === '' || key.includes('=')) throw misused(`${quoted(key)} cannot be an output key`);
      const json = writeJson(value);
      if (json === undefined) throw misused(`a ${typeof value} cannot be an output: it must be JSON`);
      return `${key}:=${json}`;
    });
    if (pairs.length > 0) await demand('output set', 'output', ['--', 'set', ...pairs]);
  },
});

export async function annotate(markdown) {
  await demand('annotate', 'annotate', ['-'], { stdin: Buffer.from(String(markdown)) });
}

export async function idToken(audience, { lifetime } = {}) {
  const options = lifetime === undefined ? [] : [`--lifetime=${durationText(lifetime, 'lifetime')}`];
  return await demandText('id-token', 'id-token', [`--audience=${audience}`, ...options]);
}

export function input() {
  const run = presentRun();
  if (run !== undefined) return readJson(run.envelope);
  const file = inputFile();
  if (file === undefined) throw notInAScript('SVC_INPUT_FILE');
  return readJson(readFileSync(file, 'utf8'));
}

export function data(path) {
  const whole = dataOf(input());
  if (path === undefined) return whole;
  const steps = typeof path === 'string' ? stepsOf(path) : undefined;
  if (steps === undefined) throw misused(`${quoted(path)} is not a path: write a.b, a[0] or a["any name"]`);
  return walk(whole, steps).value;
}

export function vars() {
  const values = presentVars();
  if (values === undefined) throw notInAScript('SVC_INPUT_FILE');
  return values;
}

export function secret(name) {
  checkName(name, 'the name of a secret');
  const value = presentEnv()[name];
  if (value === undefined)
    throw new SvcError(
      'secret_missing',
      `this run has no variable ${quoted(name)}`,
      'Store it with `svc secret set`, or name a credential with `svc submit --credential`.',
    );
  return value;
}

export function idempotencyKey() {
  const step = presentStep();
  if (step === undefined) throw misused("an idempotency key exists only inside a step's function");
  return step.key;
}

export async function verb(name, args = [], { stdin } = {}) {
  if (name === 'step') presentLine().loseCount();
  const { exit, stdout, message, replayed } = await callVerb(
    name,
    args,
    stdin === undefined ? {} : { stdin: Buffer.from(stdin) },
  );
  return { exitCode: exit, stdout, text: withoutLineEnd(stdout), reason: message, replayed };
}
