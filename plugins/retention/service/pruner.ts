import type { Cancel, Clock, Database, Log, Metrics, Prunable } from '../../../kernel/contracts/index.ts';
import { setTurn, takeTurn } from '../store/turns.ts';

/** Rows a transaction. */
const BATCH = 1000;
/** A server that is silent for so long has lost its turn. */
const HOLD_MS = 60_000;
const PERIOD_MAX_MS = 600_000;
const PERIOD_MIN_MS = 500;
/** After a batch the database has at least as long for others as the batch took. */
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
 * Prunes what is older than it is to be kept, now and then, in batches with pauses between them; of several servers one
 * at a time. One that fails is logged, and tried again at its next turn.
 */
export class Pruner {
  readonly #parts: PrunerParts;
  readonly #pruned: { inc(labels?: Record<string, string>, by?: number): void };
  #stopped = false;
  /** Ends the present pause; a no-op between pauses. */
  #wake: () => void = () => {};

  constructor(parts: PrunerParts) {
    this.#parts = parts;
    this.#pruned = parts.metrics.counter('svc_pruned_rows_total', 'Rows removed because of their age.', ['what']);
  }

  /** Works until the returned function is called; that resolves when the last batch is over. */
  start(): () => Promise<void> {
    const running = this.#run();
    return async () => {
      this.#stopped = true;
      this.#wake();
      await running;
    };
  }

  async #run(): Promise<void> {
    const named = this.#parts.prunables.filter(({ name }) => this.#parts.retention[name] !== undefined);
    const periods = named.map((one) => this.#periodOf(one));
    while (!this.#stopped) {
      for (const prunable of named) await this.#turn(prunable);
      if (!this.#stopped) await this.#pause(Math.min(...periods));
    }
  }

  /** Short for what is kept shortly, so that it does not stay much longer than it is to. */
  #periodOf({ name }: Prunable): number {
    return Math.min(PERIOD_MAX_MS, Math.max(PERIOD_MIN_MS, this.#parts.retention[name]! / 10));
  }

  async #turn(prunable: Prunable): Promise<void> {
    if (this.#stopped) return;
    const { database, log } = this.#parts;
    try {
      const now = database.now();
      if (!(await takeTurn(database, prunable.name, now, now + HOLD_MS))) return;
      const removed = await this.#prune(prunable, now);
      if (removed > 0) log.info({ what: prunable.name, rows: removed }, 'pruned');
    } catch (error) {
      log.error({ err: error, what: prunable.name }, 'pruning failed; it is tried again');
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
      if (this.#stopped) break;
      if (database.now() - held_at > HOLD_MS / 3) {
        held_at = database.now();
        await setTurn(database, name, held_at + HOLD_MS);
      }
      await this.#pause(Math.max(PAUSE_MIN_MS, clock.monotonic() - since));
      since = clock.monotonic();
    }
    // When this server stops in the middle, the next one goes on at once.
    await setTurn(database, name, database.now() + (this.#stopped ? 0 : this.#periodOf(prunable)));
    return removed;
  }

  async #pause(delay_ms: number): Promise<void> {
    if (this.#stopped) return;
    let resume: () => void = () => {};
    const resumed = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const cancel: Cancel = this.#parts.clock.after(delay_ms, resume, { unref: true });
    this.#wake = resume;
    await resumed;
    cancel();
    this.#wake = () => {};
  }
}
