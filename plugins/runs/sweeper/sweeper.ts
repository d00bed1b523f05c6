import type { Cancel, Clock, Database, Log } from '../../../kernel/contracts/index.ts';
import type { RunStore, Wakeups } from '../contract.ts';

/** How many waits or claims one transaction of a sweep takes. */
const BATCH = 100;
const POLL_MIN_MS = 200;
const POLL_MAX_MS = 1000;
const FAILED_MAX_MS = 5000;

export interface SweeperParts {
  store: Pick<RunStore, 'resolveDue' | 'expireClaims'>;
  wakeups: Pick<Wakeups, 'onTimer'>;
  database: Pick<Database, 'now'>;
  clock: Clock;
  log: Log;
  lease_ms: number;
}

/**
 * Ends waits whose deadline passed and takes back claims that were not renewed. Polling between 0.2 and 1 s is
 * what makes it right with any number of servers; the deadlines it hears of only make it punctual. A failing
 * database is logged once and asked again until it answers.
 */
export class Sweeper {
  readonly #parts: SweeperParts;
  #stopped = false;
  /** Ends the present pause; a no-op between pauses. */
  #wake: () => void = () => {};
  /** By the database's clock: the earliest deadline known; Infinity when there is none. */
  #deadline = Number.POSITIVE_INFINITY;
  /** By the monotonic clock: when claims are looked at next. */
  #expiry_at = 0;
  #poll_ms = POLL_MIN_MS;
  #failed_ms = 0;
  #failure = '';

  constructor(parts: SweeperParts) {
    this.#parts = parts;
  }

  /** Sweeps until the returned function is called; that resolves when the last sweep is over. */
  start(): () => Promise<void> {
    const off = this.#parts.wakeups.onTimer((deadline) => this.#noteDeadline(deadline));
    const running = this.#run();
    return async () => {
      this.#stopped = true;
      off();
      this.#wake();
      await running;
    };
  }

  #noteDeadline(deadline: number): void {
    if (deadline >= this.#deadline) return;
    this.#deadline = deadline;
    this.#wake();
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const again = await this.#sweep();
      if (!again && !this.#stopped) await this.#pause();
    }
  }

  /** True when there may be more to do at once. */
  async #sweep(): Promise<boolean> {
    // Forgotten before the database is asked: a deadline that is noted meanwhile must survive the answer.
    this.#deadline = Number.POSITIVE_INFINITY;
    // Each does its work even when the other cannot: one wait that breaks must not keep lost claims from being found.
    const [due, expired] = await Promise.allSettled([this.#parts.store.resolveDue(BATCH), this.#expire()]);
    if (due.status === 'fulfilled') this.#follow(due.value);
    const failed = [due, expired].find((outcome) => outcome.status === 'rejected');
    if (failed) this.#failing(failed.reason);
    else this.#recovered();
    const resolved_count = due.status === 'fulfilled' ? due.value.resolved : 0;
    const expired_count = expired.status === 'fulfilled' ? expired.value : 0;
    const found = resolved_count + expired_count > 0;
    this.#poll_ms = found ? POLL_MIN_MS : Math.min(this.#poll_ms * 1.5, POLL_MAX_MS);
    return !failed && (resolved_count >= BATCH || expired_count >= BATCH);
  }

  /** A deadline that has passed without being resolved is another server's, or stuck: left to the poll. */
  #follow(due: { resolved: number; next: number | null }): void {
    if (due.next === null) return;
    if (due.resolved === 0 && due.next <= this.#parts.database.now()) return;
    this.#deadline = Math.min(this.#deadline, due.next);
  }

  async #expire(): Promise<number> {
    const { clock, store, lease_ms } = this.#parts;
    const now = clock.monotonic();
    if (now < this.#expiry_at) return 0;
    const expired = await store.expireClaims(BATCH);
    this.#expiry_at = expired >= BATCH ? now : now + lease_ms / 4;
    return expired;
  }

  /** Until the next poll, the next deadline or a nearer one that is heard of meanwhile. */
  async #pause(): Promise<void> {
    let resume: () => void = () => {};
    const resumed = new Promise<void>((resolve) => {
      resume = resolve;
    });
    let cancel: Cancel = this.#parts.clock.after(this.#delay(), resume);
    this.#wake = () => {
      if (this.#stopped) return resume();
      if (this.#failed_ms > 0) return;
      cancel();
      cancel = this.#parts.clock.after(this.#delay(), resume);
    };
    await resumed;
    cancel();
    this.#wake = () => {};
  }

  #delay(): number {
    if (this.#failed_ms > 0) return this.#failed_ms;
    return Math.min(this.#poll_ms, Math.max(0, this.#deadline - this.#parts.database.now()));
  }

  #failing(error: unknown): void {
    this.#failed_ms = Math.min(Math.max(this.#failed_ms * 2, POLL_MIN_MS), FAILED_MAX_MS);
    const text = error instanceof Error ? error.message : String(error);
    if (text === this.#failure) return;
    this.#failure = text;
    this.#parts.log.error({ err: error }, 'the sweeper cannot work; it keeps trying');
  }

  #recovered(): void {
    if (this.#failed_ms === 0) return;
    this.#failed_ms = 0;
    this.#failure = '';
    this.#poll_ms = POLL_MIN_MS;
    this.#parts.log.info({}, 'the sweeper works again');
  }
}
