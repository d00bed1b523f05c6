import { type Clock, type Database, isServiceError, type ServiceError } from '../../../kernel/contracts/index.ts';
import { DatabaseErrors } from './errors.ts';
import type { WriteState } from './write-state.ts';

/** As much as a large submit writes on SQLite: a smaller row might find space where real work does not. The row stays. */
const SQLITE_BYTES = 256 * 1024;
/** The limit of the column on other databases. */
const MYSQL_BYTES = 128;
/** On MySQL a small row may fit into an existing page although no table can grow, so a failure counts for this long. */
const MYSQL_HOLD_MS = 15_000;
/** Anybody may call `GET /readyz`, so the probe is rate-limited. */
const MIN_PAUSE_MS = 1_000;

/** Checks, after a write has failed because of the database, whether it accepts writes again. */
export class WriteProbe {
  readonly #database: Database;
  readonly #writes: WriteState;
  readonly #clock: Clock;
  #running: Promise<void> | undefined;
  #next_at = 0;
  #last_failure: ServiceError | undefined;

  constructor(database: Database, writes: WriteState, clock: Clock) {
    this.#database = database;
    this.#writes = writes;
    this.#clock = clock;
  }

  /** Throws the reason why the database accepts no writes. Probes at most once a second, and never while writes succeed. */
  async check(): Promise<void> {
    const { failure: fault } = this.#writes;
    if (fault === undefined) return;
    if (fault !== this.#last_failure) this.#postpone(fault);
    if (this.#clock.monotonic() >= this.#next_at) this.#running ??= this.#probe(fault);
    await this.#running;
    if (this.#writes.failure !== undefined) throw this.#writes.failure;
  }

  #postpone(failure: ServiceError): void {
    this.#last_failure = failure;
    if (this.#database.sql.family === 'mysql' && failure.code === DatabaseErrors.storageFull.code)
      this.#next_at = this.#clock.monotonic() + MYSQL_HOLD_MS;
  }

  /** A further failure is recorded like that of any other write. */
  async #probe(failure: ServiceError): Promise<void> {
    try {
      await this.#database.transaction(async (tx) => {
        const bytes = tx.sql.family === 'sqlite' ? SQLITE_BYTES : MYSQL_BYTES;
        await tx.write("DELETE FROM kernel_migration_lock WHERE name = 'probe'");
        const sql = "INSERT INTO kernel_migration_lock (name, owner, expires_at) VALUES ('probe', ?, ?)";
        await tx.write(sql, ['x'.repeat(bytes), this.#database.now()]);
      });
      this.#writes.clearFailure(failure);
    } catch (error) {
      if (!isServiceError(error)) throw error;
      // The failure of the probe itself is not a new one to wait for.
      this.#last_failure = this.#writes.failure;
    } finally {
      this.#next_at = this.#clock.monotonic() + MIN_PAUSE_MS;
      this.#running = undefined;
    }
  }
}
