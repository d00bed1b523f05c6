// What each verb does in a run in memory.
import { parseArgs } from 'node:util';
import { readJson } from './numbers.mjs';
import {
  Delayed,
  Failure,
  failed,
  find,
  missing,
  recorded,
  succeeded,
  succeededAsJson,
  succeededAsText,
} from './test-results.mjs';
import { millisecondsOf } from './values.mjs';
import { registered } from './workflow.mjs';

const TIMED_OUT = 124;
const STRINGS = ['timeout', 'label', 'retry', 'backoff', 'max-backoff', 'entity', 'key', 'payload', 'input', 'config'];
const MORE_STRINGS = ['definition', 'as', 'tag', 'requires', 'include', 'root', 'when', 'var', 'audience', 'lifetime'];
const OPTIONS = Object.fromEntries([
  ...[...STRINGS, ...MORE_STRINGS].map((name) => [name, { type: 'string' }]),
  ...['fence', 'untrusted'].map((name) => [name, { type: 'boolean' }]),
]);

function parse(args) {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true, strict: false });
  return { options: values, positionals };
}

/** The words before `--`, and the command after it. */
function parseCommand(args) {
  const dashes = args.indexOf('--');
  const own = dashes < 0 ? args : args.slice(0, dashes);
  return { ...parse(own), command: dashes < 0 ? undefined : args.slice(dashes + 1) };
}

const duration = (text, what) => (text === undefined ? undefined : millisecondsOf(text, what));

const policyOf = (options) => ({
  attempts: options.retry === undefined ? undefined : Number(options.retry),
  backoff_ms: duration(options.backoff, 'backoff'),
  max_backoff_ms: duration(options['max-backoff'], 'maxBackoff'),
  timeout_ms: duration(options.timeout, 'timeout'),
});

/** Takes the next of what a test gives under a name. A list is one after the other. */
function next(run, kind, table = {}, name) {
  if (!Object.hasOwn(table, name)) return undefined;
  const list = Array.isArray(table[name]) ? table[name] : [table[name]];
  const count = run.received.get(`${kind}/${name}`) ?? 0;
  if (count >= list.length) return undefined;
  const one = list[count];
  return one instanceof Delayed ? one : new Delayed(0, one);
}

const take = (run, kind, name) => run.received.set(`${kind}/${name}`, (run.received.get(`${kind}/${name}`) ?? 0) + 1);

/** Waits for something of a name, until its time is over. */
const waitFor =
  (kind, what, resultOf) =>
  async (agent, { args }) => {
    const { options, positionals } = parse(args);
    const [name] = positionals;
    const { run } = agent;
    const execute = async (at) => {
      const timeout_ms = duration(options.timeout, 'timeout');
      const until_ms = timeout_ms === undefined ? undefined : run.now_ms + timeout_ms;
      const found = next(run, kind, run.options[what], name);
      if (found !== undefined && (until_ms === undefined || found.at_ms <= until_ms)) {
        agent.skipTo(Math.max(found.at_ms, run.now_ms), at);
        take(run, kind, name);
        return succeededAsJson(resultOf(name, found.payload, { options, run }));
      }
      agent.skipTo(until_ms, at);
      return { exit: TIMED_OUT, error: `no ${what.slice(0, -1)} ${name} arrived before the timeout` };
    };
    return await agent.call({ kind, name }, execute, { ends: true });
  };

/** A test answers as nobody in particular. */
const answerOf = (_, payload, { options, run }) =>
  options.envelope ? { by: null, at: new Date(run.now_ms).toISOString(), payload: payload ?? null } : payload;

/** Notes what was asked, so that the run can answer it. A test asks as nobody in particular. */
function ask(name, payload = null, { run }) {
  const id = `ask_test_${run.asks.length + 1}`;
  run.asks.push({ id, name, payload, is_answered: false });
  return { id, by: null, payload };
}

const envelope = (type, payload) => ({ type, event: `evt_test_${type}`, payload: payload ?? null, trusted: true });

async function sleep(agent, { args }) {
  const ms = duration(parse(args).positionals[0], 'the time to sleep');
  const execute = async (at) => {
    if (ms > 0) agent.skipTo(agent.run.now_ms + ms, at);
    return { exit: 0 };
  };
  return await agent.call({ kind: 'sleep', name: '' }, execute, { ends: ms > 0 });
}

async function step(agent, { args, id }) {
  const { options, positionals, command } = parseCommand(args);
  const [name] = positionals;
  const policy = policyOf(options);
  const fault = agent.faultOf({ name, ...policy });
  if (fault !== undefined) return { exit: 2, stderr: `svc step: ${fault}\n`, code: 'verb_usage' };
  return await agent.call({ kind: 'step', name, label: options.label }, (at) => {
    const replacement = find(agent.run.options.steps, name, at.site);
    return agent.runAttempts({ id, name, command, policy, replacement }, at);
  });
}

async function lock(agent, { args, id }) {
  const { options, positionals, command } = parseCommand(args);
  const [name] = positionals;
  const granted = await agent.call({ kind: 'lock', name }, async () => succeeded(agent.run.grant(name)), {
    ends: true,
  });
  if (command === undefined) return options.fence === true ? granted : { exit: 0, kind: 'lock' };
  return await agent.call({ kind: 'lock-step', name }, (at) =>
    agent.runAttempts({ id, name, command, policy: {}, replacement: find(agent.run.options.steps, name, at.site) }, at),
  );
}

const key = (entity, name) => `${entity ?? ''}/${name}`;

async function state(agent, { args, stdin }) {
  const { options, positionals } = parse(args);
  const [op, name = '', value] = positionals;
  const at = key(options.entity, name);
  const place = options.entity === undefined ? name : at;
  const cells = options.entity === undefined ? agent.run.cells : agent.run.shared;
  const site = { kind: 'state', name: place === '' ? op : `${op} ${place}` };
  return await agent.call(site, async () => {
    if (op === 'get' && !cells.has(at)) return { exit: 1, error: `no state ${place}` };
    if (op === 'get') return recorded(Buffer.from(`${cells.get(at)}\n`));
    if (op === 'list') return recorded(Buffer.from(keysUnder(cells, at)));
    if (op === 'set') cells.set(at, value === '-' ? stdin.toString() : value);
    else cells.delete(at);
    return { exit: 0 };
  });
}

/** The keys of an entity, in the order of their bytes. */
function keysUnder(cells, entity) {
  const names = [...cells.keys()].filter((one) => one.startsWith(entity)).map((one) => one.slice(entity.length));
  const sorted = names.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  return sorted.map((name) => `${name}\n`).join('');
}

async function output(agent, { args }) {
  const [, ...pairs] = parse(args).positionals;
  agent.stagedOutput ??= {};
  for (const pair of pairs) {
    const end = pair.indexOf('=');
    const is_json = pair[end - 1] === ':';
    const value = pair.slice(end + 1);
    agent.stagedOutput[pair.slice(0, is_json ? end - 1 : end)] = is_json ? readJson(value) : value;
  }
  return { exit: 0 };
}

async function annotate(agent, { args, stdin }) {
  const [text] = args;
  agent.annotate(text === '-' ? stdin.toString() : text);
  return { exit: 0 };
}

/** Nobody accepts it: a run in memory has no issuer. */
async function idToken(_agent, { args }) {
  return { exit: 0, stdout: Buffer.from(`test-id-token-for-${parse(args).options.audience}\n`).toString('base64') };
}

async function emit(agent, { args, stdin }) {
  const { options, positionals } = parse(args);
  const [type] = positionals;
  return await agent.call({ kind: 'emit', name: type }, async () => {
    const payload =
      options.payload === undefined ? null : readJson(options.payload === '-' ? stdin.toString() : options.payload);
    agent.run.emitted.push({ type, key: options.key, payload });
    return succeeded(`evt_test_emitted_${agent.run.emitted.length}`);
  });
}

async function answer(agent, { args, stdin }) {
  const [written, json] = parse(args).positionals;
  const id = written.startsWith('{') ? readJson(written).id : written;
  const { run } = agent;
  return await agent.call({ kind: 'answer', name: id }, async () => {
    const asked = run.asks.find((one) => one.id === id);
    if (asked === undefined) return { exit: 1, error: `there is no ask ${id} in this run` };
    if (asked.is_answered) return { exit: 1, error: `the ask ${id} has been answered already` };
    asked.is_answered = true;
    const { name, payload } = asked;
    run.answers.push({ name, payload, answer: readJson(json === '-' ? stdin.toString() : json) });
    return succeeded('answered');
  });
}

async function spawn(agent, { args, stdin }) {
  const { options, positionals } = parse(args);
  const [file] = positionals;
  return await agent.call({ kind: 'spawn', name: '' }, async () => {
    const { as, tag } = options;
    agent.run.spawned.push({
      file: file === '-' ? undefined : file,
      source: file === '-' ? stdin.toString() : undefined,
      as,
      tag,
    });
    return succeeded(`run_test_${agent.run.spawned.length}`);
  });
}

async function given(value, argument, as) {
  const result = typeof value === 'function' ? await value(argument) : value;
  return result instanceof Failure ? failed(result) : as(result);
}

async function call(agent, { args }) {
  const { options, positionals } = parse(args);
  const [what, target = ''] = positionals;
  const name = `${what} ${target}`.trimEnd();
  const { run } = agent;
  const execute = async (at) => {
    const short = what === 'function' ? target : name;
    const replacement = find(run.options.calls, short, `${short}#${at.ordinal}`);
    const input = options.input === undefined ? undefined : readJson(options.input);
    if (replacement !== undefined) return await given(replacement, input, succeededAsJson);
    const workflow = what === 'function' ? registered().find((one) => one.name === target) : undefined;
    if (workflow === undefined) throw missing('call of', 'calls', short);
    return await run.runChild(workflow, input);
  };
  return await agent.call({ kind: 'call', name }, execute, { ends: true });
}

async function resultOfActivity(agent, name, at) {
  const { activities } = agent.run.options;
  const value = find(activities, name, at.site);
  if (value === undefined) throw missing('activity', 'activities', name);
  return await given(value, undefined, succeededAsText);
}

async function activity(agent, { args }) {
  const [name] = parseCommand(args).positionals;
  return await agent.call({ kind: 'activity', name }, (at) => resultOfActivity(agent, name, at), { ends: true });
}

async function activitySubmit(agent, { args }) {
  const [name] = parseCommand(args).positionals;
  return await agent.call({ kind: 'activity-submit', name }, async (at) => {
    agent.run.activities.set(name, await resultOfActivity(agent, name, at));
    return { exit: 0 };
  });
}

async function activityCollect(agent, { args }) {
  const [name] = parse(args).positionals;
  const execute = async () => {
    const result = agent.run.activities.get(name);
    agent.run.activities.delete(name);
    return result ?? { exit: 1, error: `no activity ${name} was submitted` };
  };
  return await agent.call({ kind: 'activity-collect', name }, execute, { ends: true });
}

async function activityWaitAll(agent) {
  const { activities } = agent.run;
  const execute = async () => succeeded([...activities.values()].filter(({ exit }) => exit !== 0).length);
  return await agent.call({ kind: 'activity-wait-all', name: '' }, execute, { ends: true });
}

/** The first of several signals, events and asks, or the end of the time. */
async function waitAny(agent, { args }) {
  const all = parse(args).positionals.map((text) => [
    text.slice(0, text.indexOf(':')),
    text.slice(text.indexOf(':') + 1),
  ]);
  const { run } = agent;
  const limit = all.find(([what]) => what === 'timeout')?.[1];
  const branches = all.filter(([what]) => what !== 'timeout');
  const name = branches.map(([what, of]) => `${what}:${of}`).join(' ');
  const site = { kind: 'wait-any', name };
  const execute = async (at) => {
    const until = limit === undefined ? undefined : run.now_ms + duration(limit, 'timeout');
    const found = branches.flatMap(([what, of]) => {
      const one = next(run, `wait-${what}`, run.options[`${what}s`], of);
      return one === undefined ? [] : [{ what, of, one }];
    });
    const [first] = found.toSorted((a, b) => a.one.at_ms - b.one.at_ms);
    if (first === undefined || (until !== undefined && first.one.at_ms > until)) {
      agent.skipTo(until, at);
      return succeededAsJson({ first: 'timeout' });
    }
    const { what, of, one } = first;
    agent.skipTo(Math.max(one.at_ms, run.now_ms), at);
    take(run, `wait-${what}`, of);
    if (what === 'signal') return succeededAsJson({ first: what, name: of, payload: one.payload ?? null });
    if (what === 'ask') return succeededAsJson({ first: what, name: of, ...ask(of, one.payload, { run }) });
    return succeededAsJson({ first: what, name: of, event: envelope(of, one.payload) });
  };
  return await agent.call(site, execute, { ends: true });
}

export const VERBS = new Map(
  Object.entries({
    step,
    sleep,
    'wait-signal': waitFor('wait-signal', 'signals', answerOf),
    'wait-event': waitFor('wait-event', 'events', envelope),
    'wait-ask': waitFor('wait-ask', 'asks', ask),
    'wait-any': waitAny,
    answer,
    lock,
    state,
    output,
    annotate,
    'id-token': idToken,
    emit,
    spawn,
    call,
    activity,
    'activity-submit': activitySubmit,
    'activity-collect': activityCollect,
    'activity-wait-all': activityWaitAll,
  }),
);
