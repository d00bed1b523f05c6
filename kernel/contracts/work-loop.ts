import type { Log } from './log.ts';
import type { Cancel, Clock, DueTime } from './time.ts';

const FAILED_MIN_MS = 200;
const FAILED_MAX_MS = 5000;
const POLL_GROWTH = 1.5;

/** The result of one round. */
export interface Round {
  /** How much work there was. While nothing is found, the pauses between polls grow. */
  found: number;
  /** True when there may be more work at once. */
  again?: boolean;
  /** Milliseconds until something is due, if that is before the next poll. */
  due_ms?: number;
  /** The stored time of the next work. A clock that can be put forward may go on to it. */
  next?: DueTime | undefined;
  /** A fault in a part of the round, when the rest was done. */
  failure?: unknown;
}

export interface WorkLoopParts {
  clock: Clock;
  log: Log;
  /** Pauses between rounds without a wake-up in milliseconds: the first one after work was found, and the longest. */
  poll: { min_ms: number; max_ms: number };
  /** Log messages when rounds fail (once for each cause) and when they succeed again. */
  says: { failing: string; recovered: string };
  round(): Promise<Round>;
}

/**
 * Repeats the same work: on wake-ups, when something is due, and by polling. Polling alone makes it correct with any
 * number of servers. Failed rounds are retried with growing pauses, which no wake-up shortens.
 */
export class WorkLoop {
  readonly #parts: WorkLoopParts;
  #stopped = false;
  /** When the next round is wanted, by the monotonic clock. */
  #wanted_at = Number.POSITIVE_INFINITY;
  /** Recomputes the current pause; does nothing during a round. */
  #retime: () => void = () => {};
  #poll_ms: number;
  #failed_ms = 0;
  #failure = '';
  #rounds = 0;
  /** Between two rounds. */
  #resting = false;
  /** Something was found, or a round failed, since somebody asked. */
  #worked = false;
  #next: DueTime | undefined;
  /** Called after each round, for those who wait for one. */
  readonly #watchers = new Set<() => void>();

  constructor(parts: WorkLoopParts) {
    this.#parts = parts;
    this.#poll_ms = parts.poll.min_ms;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Works until the returned function is called. That function resolves when the last round is over. */
  start(): () => Promise<void> {
    const running = this.#run();
    const leave = this.#parts.clock.skips?.join({
      isIdle: () => this.#isIdle(),
      due: () => this.#next,
      skipped: () => this.wake(),
    });
    return async () => {
      leave?.();
      this.#stopped = true;
      this.#retime();
      await running;
    };
  }

  /** True when nothing was found since the last call of this, in the present round, and in one after it. */
  async #isIdle(): Promise<boolean> {
    if (this.#stopped) return true;
    const { promise: looked, resolve } = Promise.withResolvers<void>();
    // One that has begun may have passed over what is there now.
    const enough = this.#rounds + (this.#resting ? 1 : 2);
    const watch = () => {
      if (this.#rounds >= enough || this.#stopped) resolve();
      else this.wake();
    };
    this.#watchers.add(watch);
    this.wake();
    await looked;
    this.#watchers.delete(watch);
    const idle = !this.#worked;
    this.#worked = false;
    return idle;
  }

  /** Schedules a round within `after_ms`; a call during a round triggers one more. */
  wake(after_ms = 0): void {
    const at = this.#parts.clock.monotonic() + after_ms;
    if (at >= this.#wanted_at) return;
    this.#wanted_at = at;
    this.#retime();
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      // Cleared before the round begins, so that a request during the round is not lost.
      this.#wanted_at = Number.POSITIVE_INFINITY;
      const again = await this.#round();
      this.#rounds += 1;
      for (const watch of this.#watchers) watch();
      if (!again && !this.#stopped) await this.#pause();
    }
    for (const watch of this.#watchers) watch();
  }

  async #round(): Promise<boolean> {
    const { round, poll } = this.#parts;
    try {
      const { found, again = false, due_ms, next, failure } = await round();
      this.#next = next;
      this.#worked ||= found > 0 || again || failure !== undefined;
      this.#poll_ms = found > 0 ? poll.min_ms : Math.min(this.#poll_ms * POLL_GROWTH, poll.max_ms);
      if (due_ms !== undefined) this.wake(due_ms);
      if (failure === undefined) this.#recovered();
      else this.#failing(failure);
      return again && failure === undefined;
    } catch (error) {
      this.#worked = true;
      this.#failing(error);
      return false;
    }
  }

  async #pause(): Promise<void> {
    const { clock } = this.#parts;
    const { promise: resumed, resolve: resume } = Promise.withResolvers<void>();
    const end = clock.monotonic() + (this.#failed_ms || this.#poll_ms);
    let cancel: Cancel = () => {};
    this.#retime = () => {
      cancel();
      const until = this.#failed_ms > 0 ? end : Math.min(end, this.#wanted_at);
      const left = until - clock.monotonic();
      if (this.#stopped || left <= 0) resume();
      else cancel = clock.after(left, resume);
    };
    this.#retime();
    this.#resting = true;
    await resumed;
    this.#resting = false;
    this.#retime = () => {};
    cancel();
  }

  #failing(error: unknown): void {
    this.#failed_ms = Math.min(Math.max(this.#failed_ms * 2, FAILED_MIN_MS), FAILED_MAX_MS);
    const text = error instanceof Error ? error.message : String(error);
    if (text === this.#failure) return;
    this.#failure = text;
    this.#parts.log.error({ err: error }, this.#parts.says.failing);
  }

  #recovered(): void {
    if (this.#failed_ms === 0) return;
    this.#failed_ms = 0;
    this.#failure = '';
    this.#poll_ms = this.#parts.poll.min_ms;
    this.#parts.log.info({}, this.#parts.says.recovered);
  }
}

/** The items of a long list, page by page. A page is read only when the items of the one before are done. */
export async function* inPages<Item>(
  limit: number,
  read: (after: Item | undefined, limit: number) => Promise<readonly Item[]>,
): AsyncGenerator<Item> {
  for (let after: Item | undefined; ; ) {
    const page = await read(after, limit);
    yield* page;
    if (page.length < limit) return;
    after = page.at(-1);
  }
}

/**
 * Does the work for each item, one after the other, also after a failure: one item must not hold up the others. Resolves
 * to the number of items and the first failure, for `Round`; the failure is undefined when there was none.
 */
export async function eachOf<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<{ found: number; failure: unknown }> {
  let found = 0;
  let failure: unknown;
  for await (const item of items)
    try {
      found += 1;
      await work(item);
    } catch (error) {
      failure ??= error;
    }
  return { found, failure };
}
