/** Synchronous work before the event loop runs: limited by time, and by count for clocks that stand still. */
const TURN_MS = 5;
const TURN_STATEMENTS = 1000;

/**
 * Shares the event loop between synchronous database work and all else. What has waited for a turn of the loop is done within the
 * limits of one turn, however much waits: the rest waits for the next one. The writer and the readers have limits of their own, so
 * that neither waits for the other's work: a transaction goes on in a turn that readers fill.
 */
export class LoopTurns {
  readonly writers: Share;
  readonly readers: Share;
  #scheduled = false;

  constructor() {
    const schedule = () => this.#schedule();
    this.writers = new Share(schedule);
    this.readers = new Share(schedule);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#turn();
    });
  }

  #turn(): void {
    // What the writer does next follows in microtasks, behind the readers of this turn.
    this.writers.begin();
    this.readers.begin();
    if (this.writers.waiting || this.readers.waiting) this.#schedule();
  }
}

/** The part of each turn that one kind of work may take. */
export class Share {
  readonly #schedule: () => void;
  /** The oldest first. */
  readonly #waiting: (() => void)[] = [];
  #spent_ms = 0;
  #spent_statements = 0;

  constructor(schedule: () => void) {
    this.#schedule = schedule;
  }

  /** True when the event loop must run before further work. */
  get due(): boolean {
    return this.#spent_ms >= TURN_MS || this.#spent_statements >= TURN_STATEMENTS;
  }

  get waiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Counts a statement. */
  spend(ms: number): void {
    this.#spent_ms += ms;
    this.#spent_statements += 1;
  }

  /** `run`, which throws nothing, in one of the next turns of the event loop. */
  wait(run: () => void): void {
    this.#waiting.push(run);
    this.#schedule();
  }

  /** A new turn: what has waited, as long as it is not over. */
  begin(): void {
    this.#spent_ms = 0;
    this.#spent_statements = 0;
    while (this.#waiting.length > 0 && !this.due) this.#waiting.shift()!();
  }
}
