import { AsyncLocalStorage } from 'node:async_hooks';
import { connect } from 'node:net';
import { agentLost, insideAStep, notInAScript, SvcError, unreadable } from './errors.mjs';

const PROTOCOL = 2;
const MAX_ANSWER_LENGTH = 64 * 1024 * 1024;
/** When the agent is gone this process is about to be killed; only one that is not hears of it. */
const PATIENCE_MS = 5000;
const NEWLINE = 10;

/** One connection to the agent. One request at a time. */
export class Channel {
  #socket;
  #path;
  #patience_ms;
  #pieces = [];
  #size = 0;
  #waiting;
  #why = 'it closed the connection';
  #id = 0;
  /** No request can be made any more. */
  closed = false;
  #protocol;

  constructor(path, patience_ms = PATIENCE_MS) {
    this.#path = path;
    this.#patience_ms = patience_ms;
    this.#socket = connect(path);
    this.#socket.unref();
    this.#socket.on('data', (chunk) => this.#receive(chunk));
    this.#socket.on('error', (error) => {
      this.#why = error.code ?? error.message;
    });
    this.#socket.on('close', () => this.#lose());
    this.#socket.write(`{"id":0,"op":"hello","protocol":${PROTOCOL}}\n`);
  }

  /** Sends a request and answers its answer. Never settles once the pass is over: the agent ends this process. */
  ask(request) {
    // A result goes on with the call that asked for it.
    const id = request.op === 'result' ? this.#id : ++this.#id;
    return this.#answer(id, `${JSON.stringify({ id, ...request })}\n`);
  }

  /** The protocol that the agent speaks. */
  async protocol() {
    this.#protocol ??= (await this.#answer(0, '')).protocol;
    return this.#protocol;
  }

  #answer(id, line) {
    return new Promise((resolve, reject) => {
      this.#waiting = { id, resolve, reject };
      if (this.closed) return this.#lose();
      // Idle, the connection keeps no script alive; waiting for an answer does.
      this.#socket.ref();
      if (line !== '') this.#socket.write(line);
    });
  }

  /** After an answer that leaves the two sides of different minds. */
  close() {
    this.closed = true;
    this.#socket.destroy();
  }

  #receive(chunk) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const last = chunk.subarray(from, end);
      const line = this.#pieces.length === 0 ? last : Buffer.concat([...this.#pieces, last]);
      this.#pieces = [];
      this.#size = 0;
      from = end + 1;
      this.#take(line.toString());
    }
    if (from === chunk.length) return;
    this.#pieces.push(from === 0 ? chunk : chunk.subarray(from));
    this.#size += chunk.length - from;
    if (this.#size > MAX_ANSWER_LENGTH) this.#fail(unreadable('a line of it has no end'));
  }

  #take(line) {
    let answer;
    try {
      answer = JSON.parse(line);
    } catch {
      return this.#fail(unreadable('it is not JSON'));
    }
    if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
      return this.#fail(unreadable('it is no JSON object'));
    if (answer.error !== undefined) return this.#refused(answer);
    const waiting = this.#waiting;
    if (answer.id === 0 && answer.ok === true) {
      this.#protocol = answer.protocol ?? 1;
      if (waiting?.id !== 0) return;
    }
    if (waiting === undefined || waiting.id !== answer.id) return this.#fail(unreadable('nobody asked for it'));
    this.#waiting = undefined;
    if (answer.gone) return stayUntilKilled();
    this.#socket.unref();
    waiting.resolve(answer);
  }

  /** An error of another number is about the connection itself: the hello, or a line that was too long. */
  #refused({ id, error }) {
    const { code = 'refused', message = 'the agent refused the request', next = '' } = error ?? {};
    const refusal = new SvcError(String(code), String(message), String(next));
    if (id === 0 || this.#waiting?.id !== id) return this.#fail(refusal);
    const { reject } = this.#waiting;
    this.#waiting = undefined;
    this.#socket.unref();
    reject(refusal);
  }

  #fail(error) {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.close();
    waiting?.reject(error);
  }

  #lose() {
    this.closed = true;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined)
      setTimeout(() => waiting.reject(agentLost(this.#path, this.#why)), this.#patience_ms).ref();
  }
}

/** The activity is parked, or its claim is lost: whatever the script would do from here on would be of no pass. */
function stayUntilKilled() {
  setInterval(() => undefined, 2 ** 30);
}

/**
 * What all copies of this module in a process share, so that two of them do not wait for each other: the connection,
 * whose turn it is, and which step is being run where.
 */
const KEY = Symbol.for('svc.sdk/1');
globalThis[KEY] ??= {
  path: process.env.SVC_AGENT_SOCKET,
  input_file: process.env.SVC_INPUT_FILE,
  /** Every `SVC_*` that this process was started with. */
  variables: Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('SVC_'))),
  steps: new AsyncLocalStorage(),
  tail: Promise.resolve(),
  channel: undefined,
};
const shared = globalThis[KEY];

export const inputFile = () => shared.input_file;

/** The step whose function is calling: `{name, site, key, over}`. */
export function presentStep() {
  const step = shared.steps.getStore();
  return step === undefined || step.over ? undefined : step;
}

/** Runs `work(channel)` when all calls made before have ended, in the order in which they were made. */
export function inTurn(what, work) {
  const step = presentStep();
  if (step !== undefined) return Promise.reject(insideAStep(what, step.name));
  if (shared.path === undefined || shared.path === '') return Promise.reject(notInAScript('SVC_AGENT_SOCKET'));
  const result = shared.tail.then(() => {
    if (shared.channel === undefined || shared.channel.closed) shared.channel = new Channel(shared.path);
    return work(shared.channel);
  });
  const over = () => undefined;
  shared.tail = result.then(over, over);
  return result;
}

/**
 * Runs the function of a step where no process that it starts can reach the agent: of the variables of the service it
 * sees the key alone.
 */
export async function asStep(step, work) {
  for (const name in shared.variables) delete process.env[name];
  process.env.SVC_IDEMPOTENCY_KEY = step.key;
  try {
    return await shared.steps.run(step, work);
  } finally {
    step.over = true;
    delete process.env.SVC_IDEMPOTENCY_KEY;
    Object.assign(process.env, shared.variables);
  }
}
