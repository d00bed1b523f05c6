import type { Log } from './log.ts';
import type { Cancel, Clock, DueTime } from './time.ts';

const FAILED_MIN_MS = 200;
const FAILED_MAX_MS = 5000;
const POLL_GROWTH = 1.5;

/** The result of one iteration. */
export interface IterationResult {
  /** The amount of work that was found. While it is 0, the pauses between polls grow. */
  processed: number;
  /** True when there may be more work at once. */
  hasMore?: boolean;
  /** Milliseconds until something is due, if that is before the next poll. */
  due_ms?: number;
  /** The stored time of the next work, to which a clock that can be put forward may jump. */
  next?: DueTime | undefined;
  /** The first error of an iteration that did the rest of its work. */
  failure?: unknown;
}

export interface WorkLoopOptions {
  clock: Clock;
  log: Log;
  /** The pauses between iterations when nothing wakes the loop: the first one after work was found, and the longest. */
  poll: { min_ms: number; max_ms: number };
  /** The messages to log when iterations fail (once for each cause) and when they succeed again. */
  messages: { failing: string; recovered: string };
  iterate(): Promise<IterationResult>;
}

/**
 * Repeats the same work: on wake-ups, when something is due, and by polling. Polling alone keeps it correct with any number
 * of servers. Failed iterations are retried with growing pauses, which no wake-up shortens.
 */
export class WorkLoop {
  readonly #options: WorkLoopOptions;
  #stopped = false;
  /** When the next iteration was requested for, by the monotonic clock. */
  #wake_at = Number.POSITIVE_INFINITY;
  /** Recomputes the current pause. Does nothing during an iteration. */
  #reschedule: () => void = () => {};
  #poll_ms: number;
  #failed_ms = 0;
  #failure = '';
  #iterations = 0;
  /** True between two iterations. */
  #paused = false;
  /** True when work was found, or an iteration failed, since the last call of `isIdle`. */
  #worked = false;
  #next: DueTime | undefined;
  /** Called after each iteration. */
  readonly #watchers = new Set<() => void>();

  constructor(options: WorkLoopOptions) {
    this.#options = options;
    this.#poll_ms = options.poll.min_ms;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Runs until the returned function is called, which resolves when the last iteration has ended. */
  start(): () => Promise<void> {
    const running = this.#run();
    const leave = this.#options.clock.skips?.join({
      isIdle: () => this.#isIdle(),
      due: () => this.#next,
      skipped: () => this.wake(),
    });
    return async () => {
      leave?.();
      this.#stopped = true;
      this.#reschedule();
      await running;
    };
  }

  /** True when no work was found since the last call, including the current iteration and one full iteration after it. */
  async #isIdle(): Promise<boolean> {
    if (this.#stopped) return true;
    const { promise: checked, resolve } = Promise.withResolvers<void>();
    // An iteration that has already begun may have missed work that exists now.
    const target = this.#iterations + (this.#paused ? 1 : 2);
    const watch = () => {
      if (this.#iterations >= target || this.#stopped) resolve();
      else this.wake();
    };
    this.#watchers.add(watch);
    this.wake();
    await checked;
    this.#watchers.delete(watch);
    const idle = !this.#worked;
    this.#worked = false;
    return idle;
  }

  /** Schedules an iteration within `after_ms`. A call during an iteration triggers another one. */
  wake(after_ms = 0): void {
    const at = this.#options.clock.monotonic() + after_ms;
    if (at >= this.#wake_at) return;
    this.#wake_at = at;
    this.#reschedule();
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      // Cleared before the iteration begins, so that a wake-up during it is not lost.
      this.#wake_at = Number.POSITIVE_INFINITY;
      const hasMore = await this.#runOnce();
      this.#iterations += 1;
      for (const watch of this.#watchers) watch();
      if (!hasMore && !this.#stopped) await this.#pause();
    }
    for (const watch of this.#watchers) watch();
  }

  async #runOnce(): Promise<boolean> {
    const { iterate, poll } = this.#options;
    try {
      const { processed: found, hasMore: again = false, due_ms, next, failure } = await iterate();
      this.#next = next;
      this.#worked ||= found > 0 || again || failure !== undefined;
      this.#poll_ms = found > 0 ? poll.min_ms : Math.min(this.#poll_ms * POLL_GROWTH, poll.max_ms);
      if (due_ms !== undefined) this.wake(due_ms);
      if (failure === undefined) this.#onSuccess();
      else this.#onFailure(failure);
      return again && failure === undefined;
    } catch (error) {
      this.#worked = true;
      this.#onFailure(error);
      return false;
    }
  }

  async #pause(): Promise<void> {
    const { clock } = this.#options;
    const { promise: resumed, resolve: resume } = Promise.withResolvers<void>();
    const end = clock.monotonic() + (this.#failed_ms || this.#poll_ms);
    let cancel: Cancel = () => {};
    this.#reschedule = () => {
      cancel();
      const until = this.#failed_ms > 0 ? end : Math.min(end, this.#wake_at);
      const remaining_ms = until - clock.monotonic();
      if (this.#stopped || remaining_ms <= 0) resume();
      else cancel = clock.after(remaining_ms, resume);
    };
    this.#reschedule();
    this.#paused = true;
    await resumed;
    this.#paused = false;
    this.#reschedule = () => {};
    cancel();
  }

  #onFailure(error: unknown): void {
    this.#failed_ms = Math.min(Math.max(this.#failed_ms * 2, FAILED_MIN_MS), FAILED_MAX_MS);
    const text = error instanceof Error ? error.message : String(error);
    if (text === this.#failure) return;
    this.#failure = text;
    this.#options.log.error({ err: error }, this.#options.messages.failing);
  }

  #onSuccess(): void {
    if (this.#failed_ms === 0) return;
    this.#failed_ms = 0;
    this.#failure = '';
    this.#poll_ms = this.#options.poll.min_ms;
    this.#options.log.info({}, this.#options.messages.recovered);
  }
}

/** Iterates over a long list page by page. A page is read only when the items of the previous one have been consumed. */
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
 * Does the work for each item, one after another. A failure does not stop the rest: one item must not hold up the others.
 * Resolves to the number of items and the first failure, which is undefined when there was none.
 */
export async function eachOf<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<{ processed: number; failure: unknown }> {
  let processed = 0;
  let failure: unknown;
  for await (const item of items)
    try {
      processed += 1;
      await work(item);
    } catch (error) {
      failure ??= error;
    }
  return { processed, failure };
}
