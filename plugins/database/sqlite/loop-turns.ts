/** Synchronous work before the event loop runs: limited by time, and by count for clocks that stand still. */
const TURN_MS = 5;
const TURN_STATEMENTS = 1000;

/**
 * Shares the event loop between synchronous database work and all else. What has waited for a turn of the loop is done within the
 * limits of one turn, however much waits: the rest waits for the next one. In each turn the writer is served first and at least
 * one reader, so that neither waits for all of the other's work.
 */
export class LoopTurns {
  /** Waiting work of the writer, the oldest first. */
  readonly writers: (() => void)[] = [];
  /** Waiting reads, the oldest first. */
  readonly readers: (() => void)[] = [];
  #spent_ms = 0;
  #spent_statements = 0;
  #scheduled = false;

  /** True when the event loop must run before further work. */
  get due(): boolean {
    return this.#spent_ms >= TURN_MS || this.#spent_statements >= TURN_STATEMENTS;
  }

  /** Counts a statement. */
  spend(ms: number): void {
    this.#spent_ms += ms;
    this.#spent_statements += 1;
  }

  /** `run`, which throws nothing, in one of the next turns of the event loop. */
  wait(among: (() => void)[], run: () => void): void {
    among.push(run);
    this.#schedule();
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
    this.#spent_ms = 0;
    this.#spent_statements = 0;
    this.writers.shift()?.();
    this.readers.shift()?.();
    for (const waiting of [this.writers, this.readers]) while (waiting.length > 0 && !this.due) waiting.shift()!();
    if (this.writers.length + this.readers.length > 0) this.#schedule();
  }
}
