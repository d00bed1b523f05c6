import { connect } from 'node:net';
import { Ahead, now } from './ahead.mjs';
import { Recorded } from './recorded.mjs';
import { agentLost, SvcError, unreadable } from './errors.mjs';

const PROTOCOL = 4;
/** From this version on a request may be sent before a step that has ended is answered. */
const AHEAD_PROTOCOL = 3;
/** Steps that have ended and are not answered. */
const MOST_OPEN = 32;
/** Text of requests that are not answered. The agent closes a connection for which it holds 64 MiB of answers. */
const MOST_SENT = 16 * 1024 * 1024;
const MAX_ANSWER_LENGTH = 64 * 1024 * 1024;
/** When the agent is gone this process is about to be killed; only one that is not hears of it. */
const PATIENCE_MS = 5000;
const NEWLINE = 10;

/** One connection to the agent. One request at a time, but for steps that have ended. */
export class Channel {
  #socket;
  #path;
  #patience_ms;
  #pieces = [];
  #size = 0;
  /** Who waits for the answer to which request. */
  #waiting = new Map();
  /** Length of the requests that wait for an answer. */
  #sent = 0;
  #why = 'it closed the connection';
  #shares;
  #id = 0;
  /** Of the request that a result belongs to. */
  #call_id = 0;
  /** No request can be made any more. */
  closed = false;
  #over = false;
  #protocol;
  #ahead = new Ahead();
  #recorded = new Recorded(0);
  /** The step that was begun without an answer: its request, and why the agent refuses it. */
  #begun;

  /**
   * `stream` is a part of a connection that many runs share; without it, the channel connects to `path`. `greeting` is what
   * the agent would answer to a hello, if it has said it already.
   */
  constructor(path, patience_ms = PATIENCE_MS, stream, greeting) {
    this.#path = path;
    this.#patience_ms = patience_ms;
    this.#shares = stream !== undefined;
    this.#socket = stream ?? connect(path);
    this.#socket.unref();
    this.#socket.on('data', (chunk) => this.#receive(chunk));
    this.#socket.on('error', (error) => {
      this.#why = error.code ?? error.message;
    });
    this.#socket.on('close', () => this.#lose());
    // An agent of a later version has to be told which one this is.
    if (greeting?.protocol <= PROTOCOL) this.#greeted(greeting);
    else this.#socket.write(`{"id":0,"op":"hello","protocol":${PROTOCOL}}\n`);
  }

  #greeted({ protocol, ahead, lease_ms, recorded = 0 }) {
    this.#recorded = new Recorded(recorded);
    this.#protocol = protocol;
    this.#ahead.begin(ahead);
    this.#ahead.learn({ ms: lease_ms }, now());
  }

  /** Sends a request and answers its answer. Never settles once the pass is over: the agent ends this process. */
  async ask(request) {
    // A result goes on with the call that asked for it.
    const id = request.op === 'result' ? this.#call_id : ++this.#id;
    this.#call_id = id;
    const repeated = request.op === 'begin' || request.op === 'call' ? this.takeRepeated() : undefined;
    const answer = await this.#answer(id, `${JSON.stringify({ id, ...request, repeated })}\n`);
    if (answer.next !== undefined) this.#recorded.seek(answer.next);
    // Here, for an older copy of this module begins its steps with this.
    if (request.op === 'begin') this.#placed(request.name, answer);
    return answer;
  }

  /** The protocol that the agent speaks. */
  async protocol() {
    this.#protocol ??= (await this.#answer(0, '')).protocol;
    return this.#protocol;
  }

  /** The key of a step that has not begun; undefined when only its turn can tell. */
  async keyOf(call) {
    const found = this.#ahead.keyOf(call);
    if (found === undefined || this.closed || this.#over) return undefined;
    if (!found.masks) return found.key;
    const { name, ordinal } = call;
    const id = ++this.#id;
    const masked = await this.#answer(id, `${JSON.stringify({ id, op: 'mask', name, ordinal })}\n`);
    return masked.name === name ? found.key : undefined;
  }

  /** How many recorded steps were repeated since the last request; undefined for none. The agent is told of them once. */
  takeRepeated() {
    return this.#recorded.takeRepeated() || undefined;
  }

  /**
   * The record of the next call, if that is a step of this name: an earlier pass has made it. Whatever differs is for the
   * agent, which compares both calls.
   */
  async recordedStep(name) {
    if (!this.#recorded.hasUnread || this.closed || this.#over) return undefined;
    const found = await this.#recorded.step(name, (from) => this.#lend(from));
    if (found !== undefined) this.#ahead.made(name, found.ordinal);
    return found;
  }

  async #lend(from) {
    const id = ++this.#id;
    return (await this.#answer(id, `{"id":${id},"op":"journal","from":${from}}\n`)).records ?? [];
  }

  /** Begins a step. Answers its record, or `{run: true, key, site}` when its function is to be run. */
  async begin(name, label) {
    this.#begun = undefined;
    const recorded = await this.recordedStep(name);
    if (recorded !== undefined) return { record: recorded, replayed: true };
    const request = { op: 'begin', kind: 'step', name, label };
    const place = this.closed || this.#over ? undefined : this.#ahead.place(name, label);
    if (place === undefined) return await this.ask(request);
    const begun = await this.#beginAt(place, request);
    this.#placed(name, begun);
    return begun;
  }

  #placed(name, { record, ordinal, site }) {
    const nth = record?.ordinal ?? ordinal ?? ordinalOf(site);
    if (nth !== undefined) this.#ahead.made(name, nth);
  }

  /** Ends the step that was begun. Answers the answer, when the record is durable. */
  end(outcome) {
    const refused = this.#begun?.refused;
    this.#begun = undefined;
    if (refused === undefined) return this.ask({ op: 'end', ...outcome });
    // So that the next step does not begin on it.
    this.close();
    return Promise.reject(refused);
  }

  /** True when the next request may be sent before those that were ended are answered. */
  get goesOn() {
    return this.#protocol >= AHEAD_PROTOCOL && this.#waiting.size < MOST_OPEN && this.#sent < MOST_SENT && !this.closed;
  }

  #beginAt(place, request) {
    const id = ++this.#id;
    this.#begun = { id, key: place.key, refused: undefined };
    this.#socket.write(`${JSON.stringify({ id, ...request, key: place.key })}\n`);
    this.#socket.flush?.();
    // What lies in our own buffer, or could not be written, is not with the agent.
    const sent = this.#socket.writable && this.#socket.writableLength === 0;
    if (sent && this.#ahead.lent) return place;
    return this.#answer(id, `{"id":${id},"op":"begun"}\n`);
  }

  #answer(id, line) {
    return new Promise((resolve, reject) => {
      if (this.#over) return;
      this.#waiting.set(id, { resolve, reject, sent_at: now(), size: line.length });
      this.#sent += line.length;
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
    if (this.#size > MAX_ANSWER_LENGTH) this.#fail(unreadable('a line of it is not terminated'));
  }

  #take(line) {
    let answer;
    try {
      answer = JSON.parse(line);
    } catch {
      return this.#fail(unreadable('it is not JSON'));
    }
    if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
      return this.#fail(unreadable('it is not a JSON object'));
    if (this.#over) return;
    if (answer.gone) return this.#stay();
    if (answer.error !== undefined) return this.#refused(answer);
    if (answer.id === 0 && answer.ok === true) {
      this.#protocol = answer.protocol ?? 1;
      this.#ahead.begin(answer.ahead);
      if (!this.#waiting.has(0)) return;
    }
    const waiting = this.#settled(answer.id);
    if (waiting === undefined) return this.#unasked(answer);
    if (answer.ok === undefined && answer.ahead !== undefined) this.#ahead.learn(answer.ahead, waiting.sent_at);
    waiting.resolve(answer);
  }

  #settled(id) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    this.#sent -= waiting?.size ?? 0;
    if (this.#waiting.size === 0) this.#socket.unref();
    return waiting;
  }

  /** The agent may tell us of a step that we run already what we know. */
  #unasked({ id, run, key }) {
    const begun = this.#begun;
    if (begun?.id !== id) return this.#fail(unreadable('it was not requested'));
    if (run !== true || key !== begun.key) begun.refused = unreadable('a step that was started has another position');
  }

  /** An error of another number is about the connection itself: the hello, or a line that was too long. */
  #refused({ id, error }) {
    const { code = 'refused', message = 'the agent rejected the request', next = '' } = error ?? {};
    const refusal = new SvcError(String(code), String(message), String(next));
    const waiting = id === 0 ? undefined : this.#settled(id);
    if (waiting !== undefined) waiting.reject(refusal);
    else if (id !== 0 && this.#begun?.id === id) this.#begun.refused = refusal;
    else this.#fail(refusal);
  }

  #fail(error) {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.close();
    for (const { reject } of waiting) reject(error);
  }

  #lose() {
    this.closed = true;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    // The run continues in another pass, and nothing of this one is left to tell.
    if (waiting.length === 0 || this.#shares) return;
    setTimeout(() => {
      for (const { reject } of waiting) reject(agentLost(this.#path, this.#why));
    }, this.#patience_ms).ref();
  }

  /** The activity is parked, or its claim is lost: whatever the script would do from here on would be of no pass. */
  #stay() {
    this.#over = true;
    this.#waiting.clear();
    if (!this.#shares) setInterval(() => undefined, 2 ** 30);
  }
}

/** Of `name#2`. */
const ordinalOf = (site) => (site === undefined ? undefined : Number(site.slice(site.lastIndexOf('#') + 1)));
