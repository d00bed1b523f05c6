// Serves the workflows of a process: under `svc worker`, with an agent of its own, or inside a run of the same file as a script.
import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { Channel } from './channel.mjs';
import { misused, SvcError } from './errors.mjs';
import { Link } from './link.mjs';
import { readJson, writeJson } from './numbers.mjs';
import { dataOf } from './paths.mjs';
import { openRuns, presentRun, presentVars, runState, setRetry } from './turns.mjs';
import { checkedInput, jsonSchemaOf, registered } from './workflow.mjs';

const PROTOCOL = 1;
/** The descriptor of the connection to the agent, in a program that `svc worker` has started. */
const AGENT_FD = 'SVC_WORKER_FD';
const MAX_REASON_LENGTH = 16_000;
const MAX_CAUSES = 10;
/** The agent closes the connection of all runs after a line of 16 MiB. */
const MAX_OUTPUT_BYTES = 2 * 1024 * 1024;
const MAX_LOG_LENGTH = 1024 * 1024;
/** Bytes that the agent has not read yet. A function that prints without a pause keeps the connection from being written. */
const MAX_UNSENT_LOG = 8 * 1024 * 1024;

let serving;

export function serveWorkflows(options) {
  serving ??= start(options).catch((error) => {
    serving = undefined;
    throw error;
  });
  return serving;
}

async function start(options) {
  if (process.env.SVC_AGENT_SOCKET) return await runAsScript(options);
  if (registered().length === 0) throw misused('serve found no workflow: define one with workflow(name, …) before it');
  const fd = process.env[AGENT_FD];
  delete process.env[AGENT_FD];
  return fd === undefined ? await startAgent(options) : await connectTo(new Socket({ fd: Number(fd) }), options);
}

/** A script that defines workflows and serves them runs the one that its run asks for. */
async function runAsScript({ name }) {
  const { input: given, output } = await import('./sdk.mjs');
  const all = registered();
  const found = name === undefined && all.length === 1 ? all[0] : all.find((one) => one.name === name);
  if (found === undefined) {
    const names = all.map((one) => one.name).join(', ');
    throw misused(`this script defines ${names || 'no workflow'}: choose one with serve({ name: … })`);
  }
  const input = await checkedInput(found, dataOf(given()));
  setRetry(found.options.retry);
  const { env } = process;
  const result = await found.body(input, contextOf({ env, vars: presentVars(), run_id: env.SVC_WORKFLOW_ID }));
  if (result === undefined) return;
  // The output of a script has keys, so that anything else gets one.
  if (typeof result === 'object' && result !== null && !Array.isArray(result)) await output.set(result);
  else await output.set({ result });
}

/** Starts `svc worker` beside this program. It ends with this program; when it ends first, `serve` can be called again. */
async function startAgent(options) {
  const command = options.svc ?? process.env.SVC_COMMAND ?? 'svc';
  const args = ['worker', '--attach', '--version-of', process.argv[1] ?? ''];
  for (const [flag, value] of [
    ['--slots', options.slots],
    ['--name', options.agentName],
    ['--token-file', options.tokenFile],
  ])
    if (value !== undefined) args.push(flag, String(value));
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'pipe'] });
  await new Promise((started, failed) => {
    child.once('spawn', started);
    child.once('error', (error) =>
      failed(
        new SvcError(
          'worker_not_started',
          `the program ${command} could not be started (${error.code ?? error.message})`,
          'Install svc, or name its command: serve({ svc: "/path/to/svc" }).',
        ),
      ),
    );
  });
  return await connectTo(child.stdio[3], options, child);
}

function connectTo(socket, options, agent) {
  return new Promise((ready, failed) => {
    const host = new Host(socket, { ready, failed, agent });
    host.register(options);
  });
}

const contextOf = ({ env, vars, run_id, signal }) => Object.freeze({ runId: run_id, env, vars, signal });

/** The runs of this process, as its agent starts and stops them. */
class Host {
  #link;
  #runs = new Map();
  #settle;
  #restore;
  #closed = Promise.withResolvers();

  constructor(socket, { ready, failed, agent }) {
    this.#settle = { ready, failed };
    this.#link = new Link(
      socket,
      (message) => this.#receive(message),
      () => this.#lose(agent),
    );
    this.#restore = watchProcess(
      (run, text, stream) => this.#log(run, text, stream),
      (run, error) => this.#fail(run, error),
    );
  }

  register({ version }) {
    this.#link.send({
      register: {
        protocol: PROTOCOL,
        pid: process.pid,
        version,
        functions: registered().map(({ name, options }) => ({
          name,
          input: jsonSchemaOf(options),
          versions: options.versions,
          version: options.version,
          timeout: options.timeout,
          concurrency: options.concurrency,
          priority: options.priority,
        })),
      },
    });
  }

  #receive(message) {
    if (message.start !== undefined) return void this.#start(message.start);
    if (message.stop !== undefined) return this.#stop(message.stop);
    if (message.ping !== undefined) return this.#link.send({ pong: message.ping });
    if (message.registered !== undefined) return this.#settle.ready(this.#handle());
    if (message.refused !== undefined) {
      const { code, message: text, next } = message.refused;
      this.#settle.failed(new SvcError(code, text, next));
    }
  }

  #handle() {
    return Object.freeze({ closed: this.#closed.promise, close: () => this.#link.end() });
  }

  async #start({ pass, name, envelope, env, vars, trace, run_id, greeting }) {
    const defined = registered().find((one) => one.name === name);
    const abort = new AbortController();
    const channel = new Channel('worker', 0, this.#link.open(pass), greeting);
    const state = runState({ envelope, env, vars, trace, channel });
    const run = { pass, run_id, abort, state };
    state.run = run;
    this.#runs.set(pass, run);
    const outcome = await openRuns().run(state, () => this.#run(defined, run, env));
    this.#end(run, outcome);
  }

  /** Answers how the function ended. Never settles when the pass ends before it. */
  async #run(defined, { state, run_id, abort }, env) {
    try {
      const input = await checkedInput(defined, dataOf(readJson(state.envelope)));
      state.retry = defined.options.retry;
      const result = await defined.body(input, contextOf({ env, vars: state.vars, run_id, signal: abort.signal }));
      const output = result === undefined ? undefined : writeJson(result);
      if (result !== undefined && output === undefined)
        throw misused(`a ${typeof result} cannot be a workflow's output: it must be JSON`);
      const excess_bytes = output === undefined ? 0 : Buffer.byteLength(output) - MAX_OUTPUT_BYTES;
      if (excess_bytes > 0) return { error: { text: describeExcess(excess_bytes) } };
      return { output };
    } catch (error) {
      return { error: describeError(error) };
    }
  }

  #end(run, outcome) {
    if (this.#runs.get(run.pass) !== run || run.ended) return;
    this.#reportDropped(run, 'stderr');
    run.ended = true;
    this.#link.send({ end: run.pass, repeated: run.state.channel.takeRepeated(), ...outcome });
  }

  /** What a run left floating ends it; of no run, it ends the process as Node does. */
  #fail(run, error) {
    this.#end(run, { error: describeError(error) });
  }

  /** Lets go of the run: its promises settle never, and with the last reference to them all of it is gone. */
  #stop({ pass }) {
    const run = this.#runs.get(pass);
    this.#runs.delete(pass);
    this.#link.close(pass);
    run?.abort.abort(new SvcError('run_stopped', 'this pass of the run has ended'));
  }

  #log(run, text, stream) {
    const { pass } = run;
    if (!this.#runs.has(pass)) return;
    if (this.#link.unsent > MAX_UNSENT_LOG) {
      run.dropped = (run.dropped ?? 0) + Buffer.byteLength(text);
      return;
    }
    this.#reportDropped(run, stream);
    for (let start = 0, end; start < text.length; start = end) {
      end = start + MAX_LOG_LENGTH;
      // A character outside of the BMP has two halves.
      if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end += 1;
      this.#link.send({ log: pass, stream, text: text.slice(start, end) });
    }
    // The next line of the function may end the process or block it.
    this.#link.flush();
  }

  #reportDropped(run, stream) {
    if (run.dropped === undefined) return;
    const text = `svc: ${run.dropped} bytes of output were dropped because they arrived faster than they could be sent\n`;
    run.dropped = undefined;
    this.#link.send({ log: run.pass, stream, text });
  }

  #lose(agent) {
    for (const pass of [...this.#runs.keys()]) this.#stop({ pass });
    this.#restore();
    serving = undefined;
    this.#settle.failed(
      new SvcError('worker_lost', "this program's agent has ended", 'Its output explains why. Call serve() again.'),
    );
    this.#closed.resolve();
    if (agent === undefined) process.exit(0);
  }
}

const describeExcess = (excess_bytes) =>
  `the function returned ${excess_bytes} bytes more than the ${MAX_OUTPUT_BYTES} allowed for an output; store large data elsewhere, for example as an artifact, and return its name`;

/** Answers for anything that can be thrown, because what this throws itself would end the process of all runs. */
function describeError(error) {
  try {
    const { code, exitCode, nonRetryable } = error ?? {};
    return {
      code: code === 'input_invalid' ? code : undefined,
      exit_code: Number.isInteger(exitCode) && exitCode > 0 && exitCode < 256 ? exitCode : undefined,
      final: nonRetryable === true || undefined,
      text: stackOf(error).slice(0, MAX_REASON_LENGTH),
    };
  } catch {
    return { text: 'the function threw an error that cannot be read' };
  }
}

/** The stack of an error and of what caused it, without the lines of the SDK and of Node. Causes may run in a circle. */
function stackOf(error) {
  const stacks = [];
  for (let one = error; stacks.length <= MAX_CAUSES; one = one.cause) {
    const isError = one instanceof Error;
    const stack = isError ? safeText(one.stack ?? one) : `thrown: ${safeText(one)}`;
    const lines = stack.slice(0, MAX_REASON_LENGTH).split('\n');
    stacks.push(lines.filter((line) => !/^\s+at .*(node:internal|svc\/sdk\/|scripts\/sdk\/)/.test(line)).join('\n'));
    if (!isError || one.cause === undefined) break;
  }
  return stacks.join('\ncaused by: ');
}

function safeText(value) {
  try {
    return String(value);
  } catch {
    return 'an error without a message';
  }
}

/** Sends what runs print to their logs, and what they leave unhandled to their ends. Answers how it is undone. */
function watchProcess(log, fail) {
  const runOf = () => presentRun()?.run;
  const streams = ['stdout', 'stderr'].map((name) => {
    const stream = process[name];
    const write = stream.write;
    stream.write = (data, encoding, sent) => {
      const run = runOf();
      if (run === undefined) return write.call(stream, data, encoding, sent);
      const text =
        typeof data === 'string' ? data : Buffer.from(data).toString(typeof encoding === 'string' ? encoding : 'utf8');
      log(run, text, name);
      const done = typeof encoding === 'function' ? encoding : sent;
      if (typeof done === 'function') process.nextTick(done);
      return true;
    };
    return () => {
      stream.write = write;
    };
  });
  const unhandled = (error) => {
    const run = runOf();
    if (run !== undefined) return fail(run, error);
    throw error;
  };
  process.on('unhandledRejection', unhandled);
  const thrown = (error) => {
    const run = runOf();
    if (run !== undefined) return fail(run, error);
    // The program has a handler of its own.
    if (process.listenerCount('uncaughtException') > 1) return;
    process.stderr.write(`${stackOf(error)}\n`);
    process.exit(1);
  };
  process.on('uncaughtException', thrown);
  return () => {
    for (const restore of streams) restore();
    process.off('unhandledRejection', unhandled);
    process.off('uncaughtException', thrown);
  };
}
