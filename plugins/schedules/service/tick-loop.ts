import type { Cancel, Clock, Database, Log } from '../../../kernel/contracts/index.ts';
import type { Wakeups } from '../../runs/contract.ts';
import { CHANGED } from './schedules.ts';
import type { Ticker } from './ticker.ts';

/** How soon a schedule that another server changed is seen without a word of it. */
const POLL_MS = 1000;
const FAILED_MIN_MS = 200;
const FAILED_MAX_MS = 5000;

export interface TickLoopParts {
  ticker: Pick<Ticker, 'tickDue'>;
  wakeups: Pick<Wakeups, 'onTopic'>;
  database: Pick<Database, 'now'>;
  clock: Clock;
  log: Log;
}

/**
 * Has what is due recorded, on time: it sleeps until the next due time that is known, or for a second. A failing
 * database is logged once and asked again until it answers.
 */
export class TickLoop {
  readonly #parts: TickLoopParts;
  #stopped = false;
  /** Ends the present pause; a no-op between pauses. */
  #wake: () => void = () => {};
  /** Something changed since the last look. */
  #changed = false;
  #failed_ms = 0;
  #failure = '';

  constructor(parts: TickLoopParts) {
    this.#parts = parts;
  }

  /** Works until the returned function is called; that resolves when the last tick is over. */
  start(): () => Promise<void> {
    const off = this.#parts.wakeups.onTopic(CHANGED, () => {
      this.#changed = true;
      if (this.#failed_ms === 0) this.#wake();
    });
    const running = this.#run();
    return async () => {
      this.#stopped = true;
      off();
      this.#wake();
      await running;
    };
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#changed = false;
      const delay_ms = await this.#look();
      if (!this.#stopped && !this.#changed && delay_ms > 0) await this.#pause(delay_ms);
    }
  }

  /** Answers how long there is nothing to do. */
  async #look(): Promise<number> {
    try {
      const { ticked, next } = await this.#parts.ticker.tickDue();
      this.#recovered();
      // Those that were late may have further due times that have come.
      if (ticked > 0) return 0;
      return Math.min(POLL_MS, next === null ? POLL_MS : Math.max(0, next - this.#parts.database.now()));
    } catch (error) {
      this.#failing(error);
      this.#changed = false;
      return this.#failed_ms;
    }
  }

  async #pause(delay_ms: number): Promise<void> {
    let resume: () => void = () => {};
    const resumed = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const cancel: Cancel = this.#parts.clock.after(delay_ms, resume);
    this.#wake = resume;
    await resumed;
    cancel();
    this.#wake = () => {};
  }

  #failing(error: unknown): void {
    this.#failed_ms = Math.min(Math.max(this.#failed_ms * 2, FAILED_MIN_MS), FAILED_MAX_MS);
    const text = error instanceof Error ? error.message : String(error);
    if (text === this.#failure) return;
    this.#failure = text;
    this.#parts.log.error({ err: error }, 'schedules cannot tick; it is tried again');
  }

  #recovered(): void {
    if (this.#failed_ms === 0) return;
    this.#failed_ms = 0;
    this.#failure = '';
    this.#parts.log.info({}, 'schedules tick again');
  }
}
