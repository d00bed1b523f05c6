import { type Clock, type Database, isServiceError, type ServiceError } from '../../kernel/contracts/index.ts';
import { DatabaseErrors } from './errors.ts';
import type { WriteState } from './write-state.ts';

/** As much as a large submit writes on SQLite: less may find room where work does not. The row stays for the next one. */
const SQLITE_BYTES = 256 * 1024;
/** The column of the other databases has no more. */
const MYSQL_BYTES = 128;
/** There a row may find room in a page that is there already, when no table can grow: the last failure counts as long. */
const MYSQL_HOLD_MS = 15_000;
/** Anybody may ask whether the server is ready. */
const LEAST_PAUSE_MS = 1_000;

/** After a write that the database did not take: tries whether it takes writes again. */
export class WriteProbe {
  readonly #database: Database;
  readonly #writes: WriteState;
  readonly #clock: Clock;
  #running: Promise<void> | undefined;
  #next_at = 0;
  #seen: ServiceError | undefined;

  constructor(database: Database, writes: WriteState, clock: Clock) {
    this.#database = database;
    this.#writes = writes;
    this.#clock = clock;
  }

  /** Throws why the database takes no writes. Asks it at most once a second, and never while it takes them. */
  async check(): Promise<void> {
    const { fault } = this.#writes;
    if (fault === undefined) return;
    if (fault !== this.#seen) this.#hold(fault);
    if (this.#clock.monotonic() >= this.#next_at) this.#running ??= this.#probe(fault);
    await this.#running;
    if (this.#writes.fault !== undefined) throw this.#writes.fault;
  }

  #hold(fault: ServiceError): void {
    this.#seen = fault;
    if (this.#database.sql.family === 'mysql' && fault.code === DatabaseErrors.storageFull.code)
      this.#next_at = this.#clock.monotonic() + MYSQL_HOLD_MS;
  }

  /** Another fault is remembered where every write is watched. */
  async #probe(fault: ServiceError): Promise<void> {
    try {
      await this.#database.transaction(async (tx) => {
        const bytes = tx.sql.family === 'sqlite' ? SQLITE_BYTES : MYSQL_BYTES;
        await tx.write("DELETE FROM kernel_migration_lock WHERE name = 'probe'");
        const sql = "INSERT INTO kernel_migration_lock (name, owner, expires_at) VALUES ('probe', ?, ?)";
        await tx.write(sql, ['x'.repeat(bytes), this.#database.now()]);
      });
      this.#writes.ended(fault);
    } catch (error) {
      if (!isServiceError(error)) throw error;
      // Its own failure is no further one to wait for.
      this.#seen = this.#writes.fault;
    } finally {
      this.#next_at = this.#clock.monotonic() + LEAST_PAUSE_MS;
      this.#running = undefined;
    }
  }
}
