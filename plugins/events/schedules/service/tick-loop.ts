import {
  type Clock,
  type Database,
  type Log,
  type IterationResult,
  WorkLoop,
} from '../../../../kernel/contracts/index.ts';
import { startWoken, type Wakeups } from '../../../engine/runs/contract.ts';
import { CHANGED_TOPIC } from './schedules.ts';
import type { Ticker } from './ticker.ts';
import type { WaitingTicks } from './waiting-ticks.ts';

/** How soon a change by another server is noticed without a wakeup. */
const POLL_MS = 1000;

export interface TickLoopDeps {
  ticker: Pick<Ticker, 'tickDue'>;
  waiting: Pick<WaitingTicks, 'startReady'>;
  wakeups: Pick<Wakeups, 'onTopic'>;
  database: Pick<Database, 'now'>;
  clock: Clock;
  log: Log;
}

/** Records due schedules on time, and starts due times that have waited. It sleeps until the next known due time, but at most for a second. */
export class TickLoop {
  readonly #deps: TickLoopDeps;
  readonly #loop: WorkLoop;

  constructor(deps: TickLoopDeps) {
    this.#deps = deps;
    this.#loop = new WorkLoop({
      clock: deps.clock,
      log: deps.log,
      poll: { min_ms: POLL_MS, max_ms: POLL_MS },
      messages: { failing: 'ticking schedules failed; retrying', recovered: 'schedules tick again' },
      iterate: () => this.#iterate(),
    });
  }

  /** Runs until the returned function is called, whose promise resolves when the last tick has ended. */
  start(): () => Promise<void> {
    return startWoken(this.#loop, { wakeups: this.#deps.wakeups, topic: CHANGED_TOPIC });
  }

  async #iterate(): Promise<IterationResult> {
    const { ticked, next } = await this.#deps.ticker.tickDue();
    const moved = await this.#deps.waiting.startReady();
    const due_ms = next === null ? POLL_MS : Math.max(0, next - this.#deps.database.now());
    // Late schedules may have further due times in the past.
    return {
      processed: ticked + moved,
      hasMore: ticked + moved > 0,
      due_ms,
      next: next === null ? undefined : { at: next, recurs: true, description: 'a schedule' },
    };
  }
}
