import { type Clock, type Database, type Log, type Round, WorkLoop } from '../../../kernel/contracts/index.ts';
import { startWoken, type Wakeups } from '../../runs/contract.ts';
import { CHANGED } from './schedules.ts';
import type { Ticker } from './ticker.ts';

/** How soon a change by another server is noticed without a wake-up. */
const POLL_MS = 1000;

export interface TickLoopParts {
  ticker: Pick<Ticker, 'tickDue'>;
  wakeups: Pick<Wakeups, 'onTopic'>;
  database: Pick<Database, 'now'>;
  clock: Clock;
  log: Log;
}

/** Records due schedules on time: sleeps until the next known due time, or for a second. */
export class TickLoop {
  readonly #parts: TickLoopParts;
  readonly #loop: WorkLoop;

  constructor(parts: TickLoopParts) {
    this.#parts = parts;
    this.#loop = new WorkLoop({
      clock: parts.clock,
      log: parts.log,
      poll: { min_ms: POLL_MS, max_ms: POLL_MS },
      says: { failing: 'ticking schedules failed; retrying', recovered: 'schedules tick again' },
      round: () => this.#look(),
    });
  }

  /** Works until the returned function is called; that resolves when the last tick is over. */
  start(): () => Promise<void> {
    return startWoken(this.#loop, { wakeups: this.#parts.wakeups, topic: CHANGED });
  }

  async #look(): Promise<Round> {
    const { ticked, next } = await this.#parts.ticker.tickDue();
    const due_ms = next === null ? POLL_MS : Math.max(0, next - this.#parts.database.now());
    // Late schedules may have further due times that have come.
    return {
      found: ticked,
      again: ticked > 0,
      due_ms,
      next: next === null ? undefined : { at: next, recurs: true, says: 'a schedule' },
    };
  }
}
