// Starts runs from any program, over the API of the server. `submit` imports it when it is first used.
import { randomUUID } from 'node:crypto';
import { misused, SvcError, WaitTimeoutError } from './errors.mjs';
import { writeJson } from './numbers.mjs';
import { findServer } from './server.mjs';
import { send } from './transport.mjs';
import { durationText, millisecondsOf } from './values.mjs';

const OPTIONS = {
  idempotencyKey: 'idempotency_key',
  tags: 'tags',
  subject: 'subject',
  timeout: 'timeout',
  env: 'env',
  credentials: 'credentials',
  requires: 'requires',
  priority: 'priority',
  concurrency: 'concurrency',
};
const ENDED = new Set(['succeeded', 'failed', 'cancelled']);
/** The time that one request waits for the end of a run. Proxies close requests that are silent for a minute. */
const WAIT_MS = 50_000;
/** The time for which `result` endures a server that does not answer, such as during a restart. */
const OUTAGE_MS = 60_000;
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5000;

/** Starts a run of a workflow and returns its handle. */
export async function submitRun(name, input, { server: named, ...options }) {
  const body = { function: name };
  if (input !== undefined) body.input = input;
  for (const [option, value] of Object.entries(options)) {
    const member = OPTIONS[option];
    if (member === undefined)
      throw misused(`unknown submit option ${JSON.stringify(option)}; use ${Object.keys(OPTIONS).join(', ')}, server`);
    if (value !== undefined) body[member] = option === 'timeout' ? durationText(value, 'timeout') : value;
  }
  // With a key, a request whose answer was lost can be sent again without a second run.
  body.idempotency_key ??= randomUUID();
  const text = writeInput(body);
  const server = await serverOf(named);
  const { run_id, duplicate = false } = await send(server, { method: 'POST', path: '/runs', text });
  return new RunHandle(server, run_id, duplicate);
}

const serverOf = async (named) =>
  named === undefined ? await currentServer() : await findServer(environmentOf(named));

/** Returns the handle of a run that another program has started. Its ID is checked when the handle is used. */
export const openHandle = async (run_id, named) => new RunHandle(await serverOf(named), run_id, false);

/** Emits an event from a program outside of runs, and returns its ID. */
export async function emitEvent(type, key, payload) {
  const { event } = await send(await currentServer(), {
    method: 'POST',
    path: '/events',
    text: writeJson({ type, payload, ...(key !== undefined && { key }) }),
    // A request whose answer was lost can be sent again without a second event.
    headers: { 'idempotency-key': randomUUID() },
  });
  return event;
}

const SETTINGS =
  /^(?:SVC_(?:URL|TOKEN|TOKEN_FILE|ORG|PROJECT|PROFILE|AGENT_SOCKET|IDEMPOTENCY_KEY)|HOME|XDG_CONFIG_HOME)$/;
/** A program that submits often looks for its server this often. */
const REMEMBERED_MS = 1000;
let remembered = { settings: '', until: 0, server: undefined };

async function currentServer() {
  const settings = JSON.stringify([process.cwd(), Object.entries(process.env).filter(([name]) => SETTINGS.test(name))]);
  if (remembered.settings !== settings || performance.now() > remembered.until) {
    const server = await findServer();
    remembered = { settings, until: performance.now() + REMEMBERED_MS, server };
  }
  return remembered.server;
}

const environmentOf = ({ url = '', token = '', org = '', project = '' }) => ({
  SVC_URL: url,
  SVC_TOKEN: token,
  SVC_ORG: org,
  SVC_PROJECT: project,
  // No profile adds what is missing.
  SVC_IDEMPOTENCY_KEY: '',
});

function writeInput(body) {
  try {
    if (body.input === undefined || writeJson(body.input) !== undefined) return writeJson(body);
  } catch {
    // A cycle, for example.
  }
  throw misused("a submission's input must be JSON");
}

class RunHandle {
  #server;
  #path;

  constructor(server, run_id, duplicate) {
    this.#server = server;
    this.#path = `/runs/${encodeURIComponent(run_id)}`;
    this.runId = run_id;
    this.duplicate = duplicate;
    Object.freeze(this);
  }

  async status() {
    return (await this.#read()).status;
  }

  async result({ timeout, signal } = {}) {
    const until = timeout === undefined ? Infinity : performance.now() + millisecondsOf(timeout);
    const run = await this.#ended(until, signal);
    if (run === undefined)
      throw new WaitTimeoutError(`the wait for the run ${this.runId}`, durationText(timeout, 'timeout'));
    if (run.status === 'succeeded') return run.output;
    throw failureOf(run);
  }

  async signal(name, payload = null) {
    if (typeof name !== 'string' || name === '') throw misused('a signal name must be a non-empty string');
    const text = writeJson(payload);
    if (text === undefined) throw misused(`a signal's payload must be JSON, not a ${typeof payload}`);
    await send(this.#server, {
      method: 'POST',
      path: `${this.#path}/signals/${encodeURIComponent(name)}`,
      text,
      headers: { 'idempotency-key': randomUUID() },
    });
  }

  async cancel(reason) {
    await send(this.#server, {
      method: 'POST',
      path: `${this.#path}/cancel`,
      text: JSON.stringify(reason === undefined ? {} : { reason }),
    });
  }

  #read(query = '', signal) {
    return send(this.#server, { method: 'GET', path: `${this.#path}${query}`, signal });
  }

  /** Returns the run when it has ended; undefined when the time is over. */
  async #ended(until, signal) {
    let pause_ms = MIN_PAUSE_MS;
    let answered_at = performance.now();
    for (;;) {
      const wait_ms = Math.ceil(Math.min(until - performance.now(), WAIT_MS));
      try {
        const run = await this.#read(`?wait=${Math.max(0, wait_ms)}ms`, signal);
        if (ENDED.has(run.status)) return run;
        if (wait_ms <= 0) return undefined;
        answered_at = performance.now();
        pause_ms = MIN_PAUSE_MS;
      } catch (error) {
        const now = performance.now();
        if (error.transient !== true || now - answered_at > OUTAGE_MS || now >= until) throw error;
        await pause(Math.min(pause_ms, until - now), signal);
        pause_ms = Math.min(pause_ms * 2, MAX_PAUSE_MS);
      }
    }
  }
}

function failureOf({ run_id, status, error, reason = '' }) {
  if (status === 'cancelled')
    return new SvcError('run_cancelled', `the run ${run_id} was cancelled${reason === '' ? '' : `: ${reason}`}`);
  const { code = 'run_failed', message = 'it failed' } = error ?? {};
  return new SvcError(
    code,
    `the run ${run_id} failed: ${message}`,
    `\`svc explain ${run_id}\` shows why; \`svc rerun ${run_id}\` repeats it.`,
  );
}

function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
