// A run in memory: its journal, its clock, and one call of the workflow's function after the other, as a worker makes them.
import { createHash } from 'node:crypto';
import { Channel } from './channel.mjs';
import { misused, SvcError } from './errors.mjs';
import { readJson, writeJson } from './numbers.mjs';
import { capture } from './test-output.mjs';
import { TestAgent } from './test-agent.mjs';
import { callOf, failed, succeededAsJson } from './test-results.mjs';
import { openRuns, runState } from './turns.mjs';
import { millisecondsOf } from './values.mjs';
import { checkedInput } from './workflow.mjs';

const RUN = 'run_test';
const JOB = 'act_test';
const MAX_PASSES = 10_000;
const ADVICE =
  'Take values that vary (time, random numbers, responses of other systems) from a step, which every pass answers with its record.';

const textOf = ({ kind, name, ordinal }) => `${kind} ${name}#${ordinal}`.replace(' #', '#');
const isSame = (one, other) => one.kind === other.kind && one.name === other.name && one.ordinal === other.ordinal;

/** What survives the end of a pass. */
export class TestRun {
  workflow;
  options;
  records;
  logs = [];
  passes = 0;
  /** Failed attempts of the call that has no record yet: `{call, count}`. */
  trying;
  /** How many of the signals, events and asks of each name have been received. */
  received = new Map();
  emitted = [];
  /** What the run was asked: `{id, name, payload, is_answered}`. */
  asks = [];
  answers = [];
  spawned = [];
  notes = [];
  cells;
  /** Cells of entities, which the runs that it calls share. */
  shared;
  /** The results of activities that nobody has collected. */
  activities = new Map();
  /** The last grant of each lock. */
  #fences = new Map();
  now_ms = 0;
  deadline_ms;
  #envelope;

  constructor(workflow, input, options, shared = cellsOf(options.entities)) {
    if (typeof workflow?.body !== 'function') throw misused('a test needs a workflow: the result of workflow(name, …)');
    const odd = Object.entries(options.vars ?? {}).find(([, value]) => typeof value !== 'string');
    if (odd !== undefined) throw misused(`the variable ${odd[0]} of a test must be a string, not a ${typeof odd[1]}`);
    this.workflow = workflow;
    this.options = options;
    this.records = (options.history ?? []).map((record) => ({ ...record }));
    this.cells = cellsOf({ '': options.state });
    this.shared = shared;
    const timeout = options.timeout ?? workflow.options.timeout;
    this.deadline_ms = timeout === undefined ? Infinity : millisecondsOf(timeout);
    const envelope = writeJson({ type: 'manual', input });
    if (input !== undefined && JSON.parse(envelope).input === undefined) throw misused("a run's input must be JSON");
    this.#envelope = envelope;
  }

  /** Grants a lock. Answers the number of the grant. */
  grant(group) {
    const fence = (this.#fences.get(group) ?? 0) + 1;
    this.#fences.set(group, fence);
    return fence;
  }

  /** Of the run and its activity. */
  get ids() {
    return { run: RUN, activity: JOB };
  }

  /** Nothing is executed: the journal is somebody's history. */
  get is_replay() {
    return this.options.history !== undefined;
  }

  /** Lets time pass. Answers false when the run is over by then. */
  advance(ms) {
    this.now_ms = Math.min(this.now_ms + ms, this.deadline_ms);
    return this.now_ms < this.deadline_ms;
  }

  keyOf({ kind, name, ordinal }) {
    const parts = ['svc/step/v1', RUN, JOB, kind, name, String(ordinal)];
    const text = parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join('');
    return createHash('sha256').update(text).digest('hex');
  }

  /** Calls the function until it ends, or waits for what the test does not give. */
  async end() {
    const { maxPasses = MAX_PASSES } = this.options;
    const release = capture();
    try {
      for (;;) {
        if (this.passes >= maxPasses)
          throw new SvcError('too_many_passes', `the run has not ended after ${maxPasses} passes`, 'Raise maxPasses.');
        this.passes += 1;
        const end = await this.#pass();
        if (end.again !== true) return end;
      }
    } finally {
      release();
    }
  }

  /** Runs a workflow that the run calls, with what the test gives. */
  async runChild(workflow, input) {
    const { timeout: _timeout, state: _state, ...options } = this.options;
    const child = new TestRun(workflow, input, options, this.shared);
    const end = await child.end();
    if ('output' in end) return succeededAsJson(end.output);
    if (end.error !== undefined) return failed({ message: String(end.error), exitCode: 1 });
    const what =
      end.waitsFor === undefined ? 'the run called' : `the run of ${workflow.name} waits for ${end.waitsFor.name}`;
    throw end.thrown ?? (end.differs ? child.violation(end.differs) : new SvcError('test_result_missing', what));
  }

  async #pass() {
    const agent = new TestAgent(this);
    const { vars, env } = this.options;
    // As in a job's environment, in which everything else overrides variables.
    const state = runState({
      envelope: this.#envelope,
      env: { ...vars, ...env },
      vars,
      channel: new Channel('test', 0, agent.stream),
    });
    const pass = this.passes;
    const ended = new Promise((resolve) => {
      state.onOutput = (stream, text) => this.#log({ pass, stream, text });
      state.onUnhandled = (error) => resolve({ error });
    });
    agent.state = state;
    const abort = new AbortController();
    const end = await Promise.race([this.#body(state, abort.signal), agent.ended, ended]);
    agent.close();
    abort.abort(new SvcError('run_stopped', 'this pass of the run has ended'));
    if (!('output' in end)) return { ...end, read: agent.read };
    const missed = this.records[agent.read];
    if (missed === undefined) return { ...end, output: end.output ?? agent.stagedOutput };
    return { differs: { recorded: callOf(missed), present: undefined, position: agent.read }, output: end.output };
  }

  async #body(state, signal) {
    return await openRuns().run(state, async () => {
      try {
        const { input: given } = readJson(state.envelope);
        const input = await checkedInput(this.workflow, given);
        state.retry = this.workflow.options.retry;
        const context = Object.freeze({ runId: RUN, env: state.env, vars: state.vars, signal });
        const result = await this.workflow.body(input, context);
        const text = result === undefined ? undefined : writeJson(result);
        if (result !== undefined && text === undefined)
          throw misused(`a ${typeof result} cannot be a workflow's output: it must be JSON`);
        return { output: text === undefined ? undefined : readJson(text) };
      } catch (error) {
        return { error };
      }
    });
  }

  #log({ pass, stream, text }) {
    const last = this.logs.at(-1);
    const is_open = last?.pass === pass && last.stream === stream && last.open === true;
    const lines = text.split('\n');
    lines.forEach((line, i) => {
      if (i === lines.length - 1 && line === '') return;
      const open = i === lines.length - 1;
      if (i === 0 && is_open) Object.assign(last, { text: last.text + line, open });
      else this.logs.push({ pass, stream, text: line, open });
    });
    if (is_open && lines.length > 1) last.open = false;
  }

  /** Answers how a call differs from the one at its place in the journal. */
  difference(position, present) {
    const recorded = this.records[position] ?? (this.trying?.call.position === position ? this.trying.call : undefined);
    if (recorded === undefined || isSame(recorded, present)) return undefined;
    return { position, recorded: callOf(recorded), present: callOf(present) };
  }

  /** The error of a workflow that is not deterministic: both calls, and the lines that hold their names. */
  violation({ position, recorded, present }) {
    const name = JSON.stringify(this.workflow.name);
    const first =
      present === undefined
        ? `The workflow ${name} ended before it had repeated all durable calls in its journal.`
        : `The workflow ${name} made a different durable call from the one in its journal.`;
    const message = [
      first,
      `  position: ${position}`,
      `  recorded: ${textOf(recorded)}`,
      `  present:  ${present === undefined ? 'the end of the function' : textOf(present)}`,
      ...this.#lineOf('recorded', recorded),
      ...(present === undefined ? [] : this.#lineOf('present', present)),
    ].join('\n');
    return new SvcError('determinism_violation', message, ADVICE);
  }

  #lineOf(which, { name }) {
    if (name === '') return [];
    const quotes = ["'", '"', '`'].map((quote) => `${quote}${name}${quote}`);
    const lines = String(this.workflow.body).split('\n');
    const line = lines.find((one) => quotes.some((text) => one.includes(text)));
    return line === undefined ? [] : [`  the ${which} call is in: ${line.trim()}`];
  }
}

/** Of entities by their names; the run's own cells are those of the name ''. */
const cellsOf = (entities = {}) =>
  new Map(
    Object.entries(entities).flatMap(([entity, cells = {}]) =>
      Object.entries(cells).map(([key, value]) => [`${entity}/${key}`, cellText(value)]),
    ),
  );

const cellText = (value) => (typeof value === 'string' ? value : writeJson(value));
