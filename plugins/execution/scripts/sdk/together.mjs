// Functions of steps that are called together run at the same time in a worker. Records keep the order of the calls.
import { isPlain } from './ahead.mjs';
import { misused, StepError, unreadable } from './errors.mjs';
import { isFinal, MAX_ATTEMPTS } from './policy.mjs';

/** Functions of one run that run at the same time; after a crash, those without a record run again. */
const MAX_RUNNING = 32;
/** The reason in the record of a step that another one of its race was faster than. */
const LOST = 'race_lost: another step of the race ended first';

/** As Promise.withResolvers, which Node 18 does not have. */
function deferred() {
  const made = {};
  made.promise = new Promise((resolve) => {
    made.resolve = resolve;
  });
  return made;
}

const lostOutcome = () => ({ exit: 1, stdout: Buffer.alloc(0), size: 0, error: LOST, final: true });

const isLost = (error) => error instanceof StepError && error.reason === LOST;

/** The step calls of this process, by the promise that the caller has. */
const callsOf = new WeakMap();

/** One call of a step's function, from when it is made until its record is durable. */
export class StepCall {
  name;
  ordinal;
  timeout_ms;
  #attempts;
  #onEnd = [];
  #onLoss = [];
  #has_ended = false;
  #run;
  #running;
  #key;
  #in_turn = false;
  #lost = deferred();
  #is_lost = false;
  #abort;

  /** `run(call, at)` runs the function; `attempts` is undefined for a step without a policy. */
  constructor(name, run, { attempts, timeout_ms } = {}) {
    this.name = name;
    this.#run = run;
    this.#attempts = attempts;
    this.timeout_ms = timeout_ms;
  }

  /** False for a call that the agent may refuse: it gets no position then. */
  get can_start() {
    const { name, ordinal } = this;
    const counts = this.#attempts ?? 1;
    return ordinal !== undefined && isPlain(name) && Number.isInteger(counts) && counts >= 1 && counts <= MAX_ATTEMPTS;
  }

  /** True while its function runs. */
  get is_running() {
    return this.#running !== undefined;
  }

  /** True while its function has started, or ended, before its turn. */
  get is_ahead() {
    return this.#key !== undefined && !this.#in_turn;
  }

  /** True once its function has been started, or never will be before its turn. */
  get is_begun() {
    return this.#in_turn || this.#is_lost || this.#key !== undefined;
  }

  /** Aborts when the step has lost its race, or with `late`, the signal of its attempt. */
  signalWith(late) {
    this.#abort ??= new AbortController();
    if (this.#is_lost) this.#abort.abort();
    if (late === undefined) return this.#abort.signal;
    const either = new AbortController();
    for (const signal of [late, this.#abort.signal]) {
      if (signal.aborted) either.abort(signal.reason);
      signal.addEventListener('abort', () => either.abort(signal.reason), { once: true });
    }
    return either.signal;
  }

  /** Calls the listener when the step loses its race. */
  whenLost(listener) {
    if (this.#is_lost) listener();
    else this.#onLoss.push(listener);
  }

  /** Calls the listener when no other attempt will be made. */
  whenEnded(listener) {
    if (this.#has_ended) listener();
    else this.#onEnd.push(listener);
  }

  /** Starts the first attempt before its turn. */
  start(key, onEnd) {
    this.#key = key;
    const { name, ordinal, timeout_ms } = this;
    const attempt = this.#attempts === undefined ? undefined : 1;
    this.#execute({ name, site: `${name}#${ordinal}`, key, attempt, timeout_ms }).then(onEnd);
  }

  /** Runs an attempt in its turn, or waits for the one that has started before. */
  async attempt(at) {
    if (this.#is_lost) return lostOutcome();
    const first = !this.#in_turn && this.#key !== undefined;
    this.#in_turn = true;
    if (first && this.#key !== at.key) throw unreadable('a step that was started has another position');
    // An earlier pass may have made the first attempts.
    const ran = first && (at.attempt ?? 1) === 1 ? this.#early : this.#execute(at);
    return await Promise.race([ran, this.#lost.promise]);
  }

  #early;

  #execute(at) {
    this.#running = at;
    this.#early = this.#run(this, at).then((ran) => {
      this.#running = undefined;
      const is_last = ran.exit === 0 || isFinal(ran.cause) || (at.attempt ?? 1) >= (this.#attempts ?? 1);
      if (is_last) this.#end();
      return ran;
    });
    return this.#early;
  }

  #end() {
    this.#has_ended = true;
    for (const listener of this.#onEnd.splice(0)) listener();
  }

  /** Another step of its race has ended. */
  lose() {
    if (this.#is_lost) return;
    this.#is_lost = true;
    this.#abort?.abort();
    for (const listener of this.#onLoss.splice(0)) listener();
    this.#lost.resolve(lostOutcome());
  }
}

/** Stands in the line for a call that others wait for. */
const BARRIER = Object.freeze({ can_start: false, is_begun: true, is_running: false, is_ahead: false });

/** The calls of a run that have been made and not answered, in their order. */
export class Line {
  #calls = [];
  /** How many steps of each name have been called. */
  #counts = new Map();
  #is_counted = true;
  /** Set when a step had no record: no later call of this pass has one. */
  #channel;

  /** True while a function has started whose step has had no turn. */
  get is_ahead() {
    return this.#calls.some((call) => call.is_ahead);
  }

  /** Counts a step of the name. Answers its ordinal; undefined when that is not certain. */
  count(name) {
    const ordinal = this.#counts.get(name) ?? 0;
    this.#counts.set(name, ordinal + 1);
    return this.#is_counted ? ordinal : undefined;
  }

  /** A step was refused or made without its name: ordinals are not known from here on. */
  loseCount() {
    this.#is_counted = false;
  }

  /** Adds a call, until `result` is settled. */
  add(call = BARRIER, result) {
    this.#calls.push(call);
    this.#startFollowing();
    const leave = () => {
      this.#calls.splice(this.#calls.indexOf(call), 1);
      this.#startFollowing();
    };
    result.then(leave, leave);
  }

  /** A step has no record, so the steps behind it have none either, and may start. */
  begin(channel) {
    this.#channel = channel;
    this.#startFollowing();
  }

  #startFollowing() {
    const channel = this.#channel;
    if (channel === undefined || !this.#is_counted) return;
    let running = 0;
    for (const [i, call] of this.#calls.entries()) {
      if (!call.can_start) return;
      if (call.is_running) running += 1;
      // The first one has its turn.
      if (running >= MAX_RUNNING) return;
      if (i > 0 && !call.is_begun && !call.is_asked) {
        running += 1;
        this.#start(call, channel);
      }
    }
  }

  #start(call, channel) {
    call.is_asked = true;
    const start = (key) => {
      if (key !== undefined && this.#is_counted && !call.is_begun) call.start(key, () => this.#startFollowing());
    };
    // A connection that fails fails the call in its turn.
    channel.keyOf(call).then(start, () => undefined);
  }
}

/** Lets `race` find the call that a promise belongs to. */
export function link(promise, call) {
  callsOf.set(promise, call);
  return promise;
}

/**
 * Answers what the first step that ends came to. The others are recorded as lost, so that every later pass finds the same
 * winner: the first one in the order of the calls that is not lost.
 */
export async function race(given) {
  const promises = [...given];
  const calls = promises.map((promise) => callsOf.get(promise));
  if (calls.length === 0 || calls.includes(undefined))
    throw misused('race accepts promises of steps that run functions: race([step(…), step(…)])');
  let has_ended = false;
  const end = (i) => {
    if (has_ended) return;
    has_ended = true;
    for (const [other, call] of calls.entries()) if (other !== i) call.lose();
  };
  for (const [i, promise] of promises.entries()) {
    calls[i].whenEnded(() => end(i));
    // A recorded step ends without a call of its function.
    promise.then(
      () => end(i),
      (error) => isLost(error) || end(i),
    );
  }
  const results = await Promise.allSettled(promises);
  const winner = results.find(({ status, reason }) => status === 'fulfilled' || !isLost(reason)) ?? results[0];
  if (winner.status === 'rejected') throw winner.reason;
  return winner.value;
}
