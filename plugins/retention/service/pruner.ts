import { type Clock, type Database, type Log, type Metrics, Pauses } from '../../../kernel/contracts/index.ts';
import type { Prunable } from '../contract.ts';
import { setTurn, takeTurn } from '../store/turns.ts';

/** Rows in one transaction. */
const BATCH = 1000;
/** A server without a sign of life for this long loses its turn. */
const HOLD_MS = 60_000;
const PERIOD_MAX_MS = 600_000;
const PERIOD_MIN_MS = 500;
/** After a batch the database gets at least as much time for others as the batch took. */
const PAUSE_MIN_MS = 5;

export interface PrunerParts {
  database: Database;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  prunables: readonly Prunable[];
  /** In ms by the name of the prunable. */
  retention: Readonly<Record<string, number>>;
}

/**
 * Prunes expired records from time to time, in batches with pauses. One server works at a time. A failure is logged and
 * tried again at the next turn.
 */
export class Pruner {
  readonly #parts: PrunerParts;
  readonly #pruned: { inc(labels?: Record<string, string>, by?: number): void };
  readonly #pauses: Pauses;

  constructor(parts: PrunerParts) {
    this.#parts = parts;
    this.#pauses = new Pauses(parts.clock);
    this.#pruned = parts.metrics.counter('svc_pruned_rows_total', 'Rows removed because of their age.', ['what']);
  }

  /** Works until the returned function is called; that resolves when the last batch is over. */
  start(): () => Promise<void> {
    const running = this.#run();
    return async () => {
      this.#pauses.stop();
      await running;
    };
  }

  async #run(): Promise<void> {
    const named = this.#parts.prunables.filter(({ name }) => this.#parts.retention[name] !== undefined);
    const periods = named.map((one) => this.#periodOf(one));
    while (!this.#pauses.stopped) {
      for (const prunable of named) await this.#turn(prunable);
      await this.#pauses.wait(Math.min(...periods));
    }
  }

  /** Short intervals for short retention times, so that records do not stay much longer than wanted. */
  #periodOf({ name }: Prunable): number {
    return Math.min(PERIOD_MAX_MS, Math.max(PERIOD_MIN_MS, this.#parts.retention[name]! / 10));
  }

  async #turn(prunable: Prunable): Promise<void> {
    if (this.#pauses.stopped) return;
    const { database, log } = this.#parts;
    try {
      const now = database.now();
      if (!(await takeTurn(database, prunable.name, now, now + HOLD_MS))) return;
      const removed = await this.#prune(prunable, now);
      if (removed > 0) log.info({ what: prunable.name, rows: removed }, 'pruned');
    } catch (error) {
      log.error({ err: error, what: prunable.name }, 'pruning failed; retrying');
    }
  }

  async #prune(prunable: Prunable, started_at: number): Promise<number> {
    const { database, clock, retention } = this.#parts;
    const { name } = prunable;
    let removed = 0;
    let held_at = started_at;
    let since = clock.monotonic();
    for await (const count of prunable.prune(started_at - retention[name]!, BATCH)) {
      removed += count;
      this.#pruned.inc({ what: name }, count);
      if (this.#pauses.stopped) break;
      if (database.now() - held_at > HOLD_MS / 3) {
        held_at = database.now();
        await setTurn(database, name, held_at + HOLD_MS);
      }
      await this.#pauses.wait(Math.max(PAUSE_MIN_MS, clock.monotonic() - since));
      since = clock.monotonic();
    }
    // When this server stops in the middle, the next one continues at once.
    await setTurn(database, name, database.now() + (this.#pauses.stopped ? 0 : this.#periodOf(prunable)));
    return removed;
  }
}
