import type { Log } from './log.ts';
import type { Cancel, Clock } from './time.ts';

const FAILED_MIN_MS = 200;
const FAILED_MAX_MS = 5000;
const POLL_GROWTH = 1.5;

/** What came of one round. */
export interface Round {
  /** How much there was to do: while nothing is found, polls grow rare. */
  found: number;
  /** There may be more to do at once. */
  again?: boolean;
  /** Something is due after so long, if that is before the next poll. Milliseconds. */
  due_ms?: number;
  /** What went wrong with a part of the round, when the rest was done all the same. */
  failure?: unknown;
}

export interface WorkLoopParts {
  clock: Clock;
  log: Log;
  /** Between two rounds without a word, from the first after something was found to the rarest. Milliseconds. */
  poll: { min_ms: number; max_ms: number };
  /** What the log says when rounds fail, once a cause, and when they succeed again. */
  says: { failing: string; recovered: string };
  round(): Promise<Round>;
}

/**
 * Does the same work again and again: when it is woken, when something is due, and by polling, which alone makes it
 * right with any number of servers. Rounds that fail are tried again with growing pauses that no call cuts short.
 */
export class WorkLoop {
  readonly #parts: WorkLoopParts;
  #stopped = false;
  /** By the monotonic clock: when somebody wants the next round. */
  #wanted_at = Number.POSITIVE_INFINITY;
  /** Looks again at how long the present pause may be; a no-op between pauses. */
  #retime: () => void = () => {};
  #poll_ms: number;
  #failed_ms = 0;
  #failure = '';

  constructor(parts: WorkLoopParts) {
    this.#parts = parts;
    this.#poll_ms = parts.poll.min_ms;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Works until the returned function is called; that resolves when the last round is over. */
  start(): () => Promise<void> {
    const running = this.#run();
    return async () => {
      this.#stopped = true;
      this.#retime();
      await running;
    };
  }

  /** Wants a round after so long at the latest. Whoever calls during a round gets another one. */
  wake(after_ms = 0): void {
    const at = this.#parts.clock.monotonic() + after_ms;
    if (at >= this.#wanted_at) return;
    this.#wanted_at = at;
    this.#retime();
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      // Forgotten before the work is looked at: what is wanted meanwhile must survive the round.
      this.#wanted_at = Number.POSITIVE_INFINITY;
      const again = await this.#round();
      if (!again && !this.#stopped) await this.#pause();
    }
  }

  async #round(): Promise<boolean> {
    const { round, poll } = this.#parts;
    try {
      const { found, again = false, due_ms, failure } = await round();
      this.#poll_ms = found > 0 ? poll.min_ms : Math.min(this.#poll_ms * POLL_GROWTH, poll.max_ms);
      if (due_ms !== undefined) this.wake(due_ms);
      if (failure === undefined) this.#recovered();
      else this.#failing(failure);
      return again && failure === undefined;
    } catch (error) {
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
    await resumed;
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
