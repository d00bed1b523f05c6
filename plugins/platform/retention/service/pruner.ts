import { type Clock, type Database, type Log, type Metrics, Pauses } from '../../../../kernel/contracts/index.ts';
import type { Prunable } from '../contract.ts';
import { setLeaseEnd, acquireLease } from '../store/leases.ts';

/** The number of rows in one transaction. */
const BATCH = 1000;
/** A server that does not renew its lease for this long loses it. */
const LEASE_MS = 60_000;
const PERIOD_MAX_MS = 600_000;
const PERIOD_MIN_MS = 500;
/** The pause after a batch is at least this long, and at least as long as the batch took, so that others can use the database. */
const PAUSE_MIN_MS = 5;

export interface PrunerOptions {
  database: Database;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  prunables: readonly Prunable[];
  /** The retention times in ms, by the name of the prunable. */
  retention: Readonly<Record<string, number>>;
}

/**
 * Prunes expired records from time to time, in batches with pauses. A lease lets one server work at a time. A failure is
 * logged and tried again in the next period.
 */
export class Pruner {
  readonly #options: PrunerOptions;
  readonly #pruned: { inc(labels?: Record<string, string>, by?: number): void };
  readonly #pauses: Pauses;

  constructor(options: PrunerOptions) {
    this.#options = options;
    this.#pauses = new Pauses(options.clock);
    this.#pruned = options.metrics.counter('svc_pruned_rows_total', 'Rows removed because of their age.', ['what']);
  }

  /** Runs until the returned function is called, which resolves when the last batch has ended. */
  start(): () => Promise<void> {
    const running = this.#run();
    return async () => {
      this.#pauses.stop();
      await running;
    };
  }

  async #run(): Promise<void> {
    const enabled = this.#options.prunables.filter(({ name }) => this.#options.retention[name] !== undefined);
    const periods = enabled.map((one) => this.#periodOf(one));
    while (!this.#pauses.stopped) {
      for (const prunable of enabled) await this.#pruneIfLeased(prunable);
      await this.#pauses.wait(Math.min(...periods));
    }
  }

  /** Short retention times have short intervals, so that records do not stay much longer than they should. */
  #periodOf({ name }: Prunable): number {
    return Math.min(PERIOD_MAX_MS, Math.max(PERIOD_MIN_MS, this.#options.retention[name]! / 10));
  }

  async #pruneIfLeased(prunable: Prunable): Promise<void> {
    if (this.#pauses.stopped) return;
    const { database, log } = this.#options;
    try {
      const now = database.now();
      if (!(await acquireLease(database, prunable.name, now, now + LEASE_MS))) return;
      const removed = await this.#prune(prunable, now);
      if (removed > 0) log.info({ what: prunable.name, rows: removed }, 'pruned');
    } catch (error) {
      log.error({ err: error, what: prunable.name }, 'pruning failed; retrying');
    }
  }

  async #prune(prunable: Prunable, started_at: number): Promise<number> {
    const { database, clock, retention } = this.#options;
    const { name } = prunable;
    let removed = 0;
    let lease_renewed_at = started_at;
    let since = clock.monotonic();
    for await (const count of prunable.prune(started_at - retention[name]!, BATCH)) {
      removed += count;
      this.#pruned.inc({ what: name }, count);
      if (this.#pauses.stopped) break;
      if (database.now() - lease_renewed_at > LEASE_MS / 3) {
        lease_renewed_at = database.now();
        await setLeaseEnd(database, name, lease_renewed_at + LEASE_MS);
      }
      await this.#pauses.wait(Math.max(PAUSE_MIN_MS, clock.monotonic() - since));
      since = clock.monotonic();
    }
    // When this server stops in the middle, another one continues at once.
    await setLeaseEnd(database, name, database.now() + (this.#pauses.stopped ? 0 : this.#periodOf(prunable)));
    return removed;
  }
}
