/** How much synchronous work is done before the event loop runs: by time, and by count for clocks that stand still. */
const MAX_TICK_MS = 5;
const MAX_TICK_STATEMENTS = 1000;

/**
 * Shares the event loop between synchronous database work and everything else. Each turn of the loop does a limited amount of
 * the work that waits, and leaves the rest to the next turn. The writer and the readers have separate limits, so that neither
 * waits for the other: a transaction makes progress even in a turn that readers fill.
 */
export class LoopBudget {
  readonly writers: WorkBudget;
  readonly readers: WorkBudget;
  #scheduled = false;

  constructor() {
    const schedule = () => this.#schedule();
    this.writers = new WorkBudget(schedule);
    this.readers = new WorkBudget(schedule);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#tick();
    });
  }

  #tick(): void {
    // The next statement of the writer follows in microtasks, after the readers of this turn.
    this.writers.startTick();
    this.readers.startTick();
    if (this.writers.waiting || this.readers.waiting) this.#schedule();
  }
}

/** The share of each turn of the event loop that one kind of work may use. */
export class WorkBudget {
  readonly #schedule: () => void;
  /** Oldest first. */
  readonly #waiting: (() => void)[] = [];
  #spent_ms = 0;
  #spent_statements = 0;

  constructor(schedule: () => void) {
    this.#schedule = schedule;
  }

  /** True when the event loop must run before further work. */
  get exhausted(): boolean {
    return this.#spent_ms >= MAX_TICK_MS || this.#spent_statements >= MAX_TICK_STATEMENTS;
  }

  get waiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Counts a statement and its time. */
  record(ms: number): void {
    this.#spent_ms += ms;
    this.#spent_statements += 1;
  }

  /** Calls `run`, which must not throw, in one of the next turns of the event loop. */
  defer(run: () => void): void {
    this.#waiting.push(run);
    this.#schedule();
  }

  /** Begins a new turn, and does the work that waits until the limits are reached. */
  startTick(): void {
    this.#spent_ms = 0;
    this.#spent_statements = 0;
    while (this.#waiting.length > 0 && !this.exhausted) this.#waiting.shift()!();
  }
}
