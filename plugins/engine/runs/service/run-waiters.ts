import {
  type Cancel,
  type Clock,
  Errors,
  isServiceError,
  yieldToEventLoop,
} from '../../../../kernel/contracts/index.ts';
import { ADMISSION_INTERVAL_MS, checkAdmission, type Run, TERMINAL } from '../contract.ts';
import { Deadlines } from './deadlines.ts';
import type { RunWatch } from './run-watch.ts';

/** Requests that are answered in one turn of the event loop. */
const AT_ONCE = 64;

export interface WaitScope {
  org_id: string;
  project_id: string;
}

/** Who waits. Requests with one `key` would all be let in, or none of them: one of them is asked for. */
export interface WaitCaller {
  key: string;
  user_id: string;
  /** Throws what a new request would be refused with. */
  admitted(): Promise<void>;
}

type Outcome = { run: Run } | { error: unknown };

/** Those who wait for one run, as one project asks for it. They share what is watched and what is read. */
interface Group {
  key: string;
  run_id: string;
  scope: WaitScope;
  waiters: Set<Waiter>;
  off: Cancel;
}

/** One request that waits. It is the listener of its own signal: a function for each would take memory. */
class Waiter {
  readonly group: Group;
  readonly caller: WaitCaller;
  /** It is answered with the run as it is. */
  last = false;
  /** The run is being read for it, or it is about to be answered. */
  asked = false;
  readonly #owner: RunWaiters;
  readonly #signal: AbortSignal;
  readonly #cancel: Cancel;
  #outcome: Outcome | undefined;
  #listen: ((outcome: Outcome) => void) | undefined;

  constructor(
    owner: RunWaiters,
    group: Group,
    { caller, signal }: Pick<Join, 'caller' | 'signal'>,
    arm: (waiter: Waiter) => Cancel,
  ) {
    this.#owner = owner;
    this.group = group;
    this.caller = caller;
    this.#signal = signal;
    this.#cancel = arm(this);
    group.waiters.add(this);
    signal.addEventListener('abort', this);
    if (signal.aborted) this.handleEvent();
  }

  handleEvent(): void {
    const { reason } = this.#signal;
    // The server stops, and its response is the run as it is. Otherwise nobody is there to be answered.
    if (isServiceError(reason)) this.#owner.answerNow([this]);
    else this.settle({ error: reason });
  }

  settle(outcome: Outcome): void {
    this.#outcome ??= outcome;
    this.#listen?.(this.#outcome);
  }

  async answer(): Promise<Run> {
    const outcome = this.#outcome ?? (await new Promise<Outcome>((resolve) => (this.#listen = resolve)));
    if ('error' in outcome) throw outcome.error;
    return outcome.run;
  }

  leave(): void {
    this.#cancel();
    this.#signal.removeEventListener('abort', this);
    this.#owner.left(this);
  }
}

export type { Waiter };

export interface Join {
  caller: WaitCaller;
  wait_ms: number;
  signal: AbortSignal;
}

export interface RunWaitersDeps {
  watch: Pick<RunWatch, 'watch'>;
  clock: Clock;
  /** Throws `not_found`. */
  read(scope: WaitScope, run_id: string): Promise<Run>;
  /** A record that this server has in memory, as `read` would answer it. */
  present(run: Run): Run;
}

/**
 * Requests that wait, by their runs: a run is watched once and read once for all of them, all time limits have one timer,
 * and many are answered in turns, so that others are served in between. Whether they would still be let in is asked while they
 * wait and before they are answered.
 */
export class RunWaiters {
  readonly #deps: RunWaitersDeps;
  readonly #deadlines: Deadlines<Waiter>;
  readonly #groups = new Map<string, Group>();
  readonly #answers: { waiter: Waiter; outcome: Outcome }[] = [];
  #answering = false;
  #next_question: Cancel | undefined;

  constructor(deps: RunWaitersDeps) {
    this.#deps = deps;
    this.#deadlines = new Deadlines(deps.clock, (due) => this.answerNow(due));
  }

  /** Every waiter that joins also leaves, however its wait ends. */
  join(scope: WaitScope, run_id: string, { wait_ms, ...own }: Join): Waiter {
    // A caller who asks for the run of another project gets a separate group, whose reads find nothing.
    const key = `${scope.org_id} ${scope.project_id} ${run_id}`;
    const group = this.#groups.get(key) ?? this.#open(key, scope, run_id);
    this.#next_question ??= this.#deps.clock.after(ADMISSION_INTERVAL_MS, () => void this.#question());
    return new Waiter(this, group, own, (waiter) => this.#deadlines.add(waiter, wait_ms));
  }

  /** With their runs as they are. */
  answerNow(waiters: readonly Waiter[]): void {
    for (const waiter of waiters) waiter.last = true;
    for (const [group, own] of Map.groupBy(waiters, (waiter) => waiter.group)) void this.#answer(group, own);
  }

  left(waiter: Waiter): void {
    const { group } = waiter;
    if (!group.waiters.delete(waiter) || group.waiters.size > 0) return;
    group.off();
    this.#groups.delete(group.key);
    if (this.#groups.size > 0) return;
    this.#next_question?.();
    this.#next_question = undefined;
  }

  #open(key: string, scope: WaitScope, run_id: string): Group {
    const group: Group = { key, run_id, scope, waiters: new Set(), off: () => {} };
    this.#watch(group);
    this.#groups.set(key, group);
    return group;
  }

  #watch(group: Group): void {
    group.off = this.#deps.watch.watch(group.run_id, (over) => {
      if (over) void this.#answer(group, [...group.waiters]);
    });
  }

  /** Never rejects. Those whose run is not over yet wait on: its end may be told before it can be read here. */
  async #answer(group: Group, waiting: readonly Waiter[]): Promise<void> {
    const waiters = waiting.filter(({ asked }) => !asked);
    if (waiters.length === 0) return;
    for (const waiter of waiters) waiter.asked = true;
    const outcome: Outcome = await this.#deps.read(group.scope, group.run_id).then(
      (run) => ({ run }),
      (error: unknown) => ({ error }),
    );
    const over = 'error' in outcome || TERMINAL.includes(outcome.run.status);
    for (const waiter of waiters) {
      waiter.asked = over || waiter.last;
      if (waiter.asked) this.#answers.push({ waiter, outcome });
    }
    if (!over && group.waiters.size > 0) {
      group.off();
      this.#watch(group);
    }
    if (this.#answering) return;
    this.#answering = true;
    await this.#work();
    this.#answering = false;
  }

  async #work(): Promise<void> {
    while (this.#answers.length > 0) {
      const answers = this.#answers.splice(0, AT_ONCE);
      const refusals = await refusalsOf(answers, ({ admitted }) => admitted());
      for (const { waiter, outcome } of answers) waiter.settle(refusals.get(waiter.caller.key) ?? outcome);
      await yieldToEventLoop();
    }
  }

  /** Never rejects. Asks for each caller once, however many of his requests wait. */
  async #question(): Promise<void> {
    const own = this.#next_question;
    const waiting = [...this.#groups.values()].flatMap(({ waiters }) => [...waiters]);
    const callers = [...Map.groupBy(waiting, ({ caller }) => caller.key).values()];
    for (let at = 0; at < callers.length; at += AT_ONCE) {
      const asked = callers.slice(at, at + AT_ONCE);
      const refusals = await refusalsOf(
        asked.map(([waiter]) => ({ waiter: waiter! })),
        ({ admitted }) => checkAdmission(admitted),
      );
      for (const waiter of asked.flat()) {
        const refusal = refusals.get(waiter.caller.key);
        if (refusal) waiter.settle(refusal);
      }
      await yieldToEventLoop();
    }
    // All have left meanwhile, and others may have come, who have a question of their own.
    if (this.#next_question !== own) return;
    this.#next_question = this.#deps.clock.after(ADMISSION_INTERVAL_MS, () => void this.#question());
  }
}

/** What each of these callers is refused with, by key. Asked for each once. */
async function refusalsOf(
  asked: readonly { waiter: Waiter }[],
  ask: (caller: WaitCaller) => Promise<void>,
): Promise<Map<string, { error: unknown }>> {
  const callers = new Map(asked.map(({ waiter: { caller } }) => [caller.key, caller]));
  const refusals = new Map<string, { error: unknown }>();
  await Promise.all(
    [...callers.values()].map((caller) =>
      ask(caller).catch((error: unknown) => void refusals.set(caller.key, { error: refusalOf(error) })),
    ),
  );
  return refusals;
}

/** If the run is not found, the whole request is repeated: it submits again and waits again. */
const refusalOf = (error: unknown): unknown =>
  isServiceError(error, 'not_found') ? Errors.forbidden(error.message) : error;
