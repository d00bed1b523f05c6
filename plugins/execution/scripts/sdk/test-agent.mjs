// The agent's end of a connection, for one pass of a run in memory. The SDK's own code is at the other end.
import { EventEmitter } from 'node:events';
import { FUNCTION, runFunction } from './functions.mjs';
import { MAX_ATTEMPTS } from './policy.mjs';
import { callOf, Failure, failed, find, succeeded, succeededAsText } from './test-results.mjs';
import { VERBS } from './test-verbs.mjs';
import { openRuns } from './turns.mjs';
import { OUTPUT_BYTES } from './values.mjs';

const PROTOCOL = 4;
/** Pauses of this length end the pass. */
const PARKING_PAUSE_MS = 5000;
const soon = queueMicrotask;

/** Thrown where a pass ends: the caller is never answered. */
class PassEnded extends Error {}

class AgentStream extends EventEmitter {
  writable = true;
  writableLength = 0;
  #onLine;

  constructor(onLine) {
    super();
    this.#onLine = onLine;
  }

  write(text) {
    for (const line of text.split('\n')) if (line !== '') soon(() => this.#onLine(JSON.parse(line)));
    return true;
  }

  ref() {}
  unref() {}

  destroy() {
    this.writable = false;
  }
}

/** Serves the calls of one pass. */
export class TestAgent {
  stream = new AgentStream((request) => this.#receive(request));
  ended;
  state;
  stagedOutput;
  /** The number of calls that have been answered. */
  read = 0;
  run;
  #end;
  #has_ended = false;
  #tail = Promise.resolve();
  #expected;
  #ordinals = new Map();
  #notes = 0;

  constructor(run) {
    this.run = run;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Nothing is answered any more. */
  close() {
    this.#has_ended = true;
    this.stream.destroy();
  }

  /** Ends the pass: `{again}`, `{waitsFor}`, `{error}`, `{differs}` or `{beyond}`. */
  endPass(end) {
    this.#end(end);
    this.#has_ended = true;
    throw new PassEnded();
  }

  #receive(request) {
    if (this.#has_ended) return;
    const { id, op } = request;
    // Each name is asked for, so that a step that the test replaces does not start.
    if (op === 'hello')
      return this.#send(id, { ok: true, protocol: PROTOCOL, ahead: { ...this.run.ids, masks: true } });
    if (op === 'mask') return this.#send(id, { name: this.#isReplaced(request) ? undefined : request.name });
    const expected = this.#expected;
    if (expected?.op === op) {
      this.#expected = undefined;
      return expected.resolve(request);
    }
    this.#tail = this.#tail.then(() => this.#serve(request));
  }

  async #serve(request) {
    try {
      if (request.op === 'begin') await this.#step(request);
      else this.#send(request.id, await this.#verb(request));
    } catch (error) {
      if (error instanceof PassEnded || this.#has_ended) return this.#send(request.id, { gone: true });
      // What a test gives wrongly ends the test.
      this.#end({ thrown: error });
      this.#has_ended = true;
    }
  }

  #isReplaced({ name, ordinal }) {
    return find(this.run.options.steps, name, `${name}#${ordinal}`) !== undefined;
  }

  #send(id, answer) {
    this.stream.emit('data', Buffer.from(`${JSON.stringify({ id, ...answer })}\n`));
  }

  #expect(op) {
    return new Promise((resolve) => {
      this.#expected = { op, resolve };
    });
  }

  /** A step of a function without a policy. */
  async #step({ id, name, label }) {
    const fault = nameFault(name);
    if (fault !== undefined) return this.#send(id, { error: { code: 'verb_usage', message: fault, next: '' } });
    let replied = id;
    const { record, replayed } = await this.call({ kind: 'step', name, label }, async ({ site, key }) => {
      const replacement = find(this.run.options.steps, name, site);
      if (replacement !== undefined) return await this.#replace(replacement, { name, site, key });
      this.#send(id, { run: true, key, site, limit: OUTPUT_BYTES });
      const ended = await this.#expect('end');
      replied = ended.id;
      return { exit: ended.exit, stdout: Buffer.from(ended.stdout, 'base64'), size: ended.size, error: ended.error };
    }).catch((error) => {
      if (error instanceof PassEnded) this.#send(replied, { gone: true });
      throw error;
    });
    this.#send(replied, { record: wire(record), replayed });
  }

  async #verb({ id, verb, args, stdin, exec }) {
    const serve = VERBS.get(verb);
    const given = this.run.options.verbs?.[verb];
    const input = stdin === undefined ? Buffer.alloc(0) : Buffer.from(stdin, 'base64');
    if (given !== undefined) return answer(await this.#givenVerb(verb, args, given));
    if (serve === undefined) {
      const message = `svc ${verb}: the test kit has no verb ${JSON.stringify(verb)}`;
      return {
        exit: 1,
        stderr: `${message}\nGive its result: verbs: { ${JSON.stringify(verb)}: … }\n`,
        code: 'verb_unavailable',
      };
    }
    return answer(await serve(this, { args, stdin: input, id, exec }));
  }

  async #givenVerb(verb, args, given) {
    return await this.call({ kind: verb, name: args.filter((word) => !word.startsWith('-')).join(' ') }, async (at) =>
      this.#replace(typeof given === 'function' ? () => given(args) : given, at, { as_text: true }),
    );
  }

  /** Runs a command or a function, attempt by attempt. */
  async runAttempts({ id, name, command, policy, replacement }, at) {
    const { attempts, backoff_ms = 0, max_backoff_ms, timeout_ms } = policy;
    const counts = attempts !== undefined;
    for (let attempt = (this.run.trying?.count ?? 0) + 1; ; attempt++) {
      const step = { name, site: at.site, key: at.key, attempt: counts ? attempt : undefined, timeout_ms };
      const ran =
        replacement === undefined
          ? await this.#exec(id, command, step)
          : await this.#replace(replacement, step, { as_text: command?.[0] !== FUNCTION || command.length > 1 });
      if (ran.exit === 0 || ran.final === true || attempt >= (attempts ?? 1)) return ran;
      const growth = max_backoff_ms === undefined ? 1 : 2 ** (attempt - 1);
      const pause_ms = Math.min(backoff_ms * growth, max_backoff_ms ?? Infinity);
      this.run.trying = { call: at, count: attempt };
      this.#advance(pause_ms);
      if (pause_ms >= PARKING_PAUSE_MS) this.endPass({ again: true });
    }
  }

  async #exec(id, command, { site, key, attempt, timeout_ms }) {
    this.#send(id, { exec: command, key, limit: OUTPUT_BYTES, site, attempt, timeout_ms });
    const { exit, stdout, size, error, final } = await this.#expect('result');
    return { exit, stdout: Buffer.from(stdout, 'base64'), size, error, final };
  }

  /** What a test gives in place of a step; as text in place of a command. */
  async #replace(given, step, { as_text = false } = {}) {
    if (given instanceof Failure) return failed(given);
    if (typeof given !== 'function') return as_text ? succeededAsText(given) : succeeded(given);
    let value;
    const work = async (context) => {
      value = await replaced(given)(context);
      return as_text ? undefined : value;
    };
    const ran = await openRuns().run(this.state, () => runFunction(work, { name: step.site, ...step }));
    return as_text && ran.exit === 0 ? succeededAsText(value) : ran;
  }

  /** A call by its name: its record, or what `execute` makes. `ends` ends the pass after a new record, as a wait does. */
  async call({ kind, name, label }, execute, { ends = false } = {}) {
    const { run } = this;
    const position = this.read;
    const ordinal = this.#ordinals.get(`${kind}\0${name}`) ?? 0;
    const at = { kind, name, ordinal, position };
    const differs = run.difference(position, at);
    if (differs !== undefined) this.endPass({ differs });
    const recorded = run.records[position];
    if (recorded !== undefined) {
      this.#advanceTo(at);
      return { record: recorded, replayed: true };
    }
    if (run.is_replay) this.endPass({ beyond: callOf(at) });
    const {
      exit,
      stdout = Buffer.alloc(0),
      size = 0,
      error,
    } = await execute({
      ...at,
      site: `${name}#${ordinal}`,
      key: run.keyOf(at),
    });
    if (this.#has_ended) throw new PassEnded();
    run.trying = undefined;
    const record = { ...at, label, ...limited({ exit, stdout, size, error, at }) };
    run.records.push(record);
    this.#advanceTo(at);
    // Functions that run at the same time are recorded in one pass, so that each of them runs once.
    const replays = (run.options.replayEveryCall ?? true) && this.state.line?.is_ahead !== true;
    if (ends || replays) this.endPass({ again: true });
    return { record, replayed: false };
  }

  #advanceTo({ kind, name, ordinal }) {
    this.#ordinals.set(`${kind}\0${name}`, ordinal + 1);
    this.read += 1;
  }

  #advance(ms) {
    if (this.run.advance(ms)) return;
    this.endPass({ deadline: true });
  }

  /** Skips to a time; undefined is never, where only the deadline of the run is left. */
  skipTo(at_ms, call) {
    const { now_ms, deadline_ms } = this.run;
    if (at_ms !== undefined || deadline_ms !== Infinity) return this.#advance((at_ms ?? deadline_ms) - now_ms);
    this.endPass({ waitsFor: callOf(call) });
  }

  /** As the agent refuses a step. */
  faultOf({ name, attempts }) {
    if (attempts !== undefined && !(attempts >= 1 && attempts <= MAX_ATTEMPTS))
      return `--retry needs a number of attempts from 1 to ${MAX_ATTEMPTS}, including the first`;
    return nameFault(name);
  }

  annotate(text) {
    this.run.notes[this.#notes++] = text;
  }
}

const CONTROL = /\p{Cc}/u;
const MAX_NAME_LENGTH = 200;

/** As the agent refuses the name of a step. */
function nameFault(name) {
  if (name === '') return 'the name of a step must not be empty';
  if (Array.from(name).length > MAX_NAME_LENGTH)
    return `the name of a step has more than ${MAX_NAME_LENGTH} characters`;
  if (CONTROL.test(name)) return 'the name of a step must not contain control characters such as line breaks';
  if (/#\d+$/.test(name)) return `the name of a step must not end with # and a number: ${JSON.stringify(name)}`;
  return undefined;
}

/** A function may answer a failure too. */
const replaced = (work) => async (step) => {
  const value = await work(step);
  if (!(value instanceof Failure)) return value;
  throw Object.assign(new Error(value.message), {
    toString: () => value.message,
    exitCode: value.exitCode,
    nonRetryable: value.nonRetryable,
  });
};

function limited({ exit, stdout, size, error, at }) {
  if (size <= OUTPUT_BYTES) return { exit_code: exit, output: stdout, message: error };
  const message = `the output of step ${at.name}#${at.ordinal} is ${size - OUTPUT_BYTES} bytes over the limit of 2 MiB`;
  return { exit_code: 1, output: Buffer.alloc(0), message };
}

/** A record as the agent sends it. */
const wire = ({ output, ...record }) => ({ ...record, output: output.toString('base64') });

/** What a verb came to: a record, or what it says without one. */
function answer({ record, replayed, ...given }) {
  if (record === undefined) return given;
  const { exit_code, output, message, kind } = record;
  return { exit: exit_code, stdout: output.toString('base64'), stderr: message, kind, message, replayed };
}
