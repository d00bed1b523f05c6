import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Clock, isServiceError } from '../../../kernel/contracts/index.ts';
import { DatabaseErrors } from '../errors.ts';
import { SqliteConnection } from './connection.ts';
import { isBusy, sqliteFault } from './faults.ts';
import { type Lock, type Release, writerLock } from './lock.ts';
import { LoopTurns, type Share } from './loop-turns.ts';

/** How long to wait for a file that another process holds, or for the lock of this process. */
const PATIENCE_MS = 30_000;
const MAX_PAUSE_MS = 20;
/** Pages in the log before they are copied into the file: what is written again meanwhile is copied once. */
const CHECKPOINT_PAGES = 4000;
/** The WAL file shrinks to this size after a burst. */
const JOURNAL_BYTES = 64 * 1024 * 1024;

/** The SQLite file of a database: one writer behind a lock, one reader beside it. It yields to the event loop. */
export class SqliteEngine {
  readonly memory: boolean;
  readonly writer: SqliteConnection;
  readonly #reader: SqliteConnection;
  readonly #lock: Lock;
  readonly #forget: () => void;
  readonly #clock: Clock;
  readonly #turns = new LoopTurns();
  #closed = false;

  private constructor(path: string, clock: Clock, writer: SqliteConnection, reader: SqliteConnection) {
    const { lock, forget } = writerLock(path);
    this.memory = path === ':memory:';
    this.writer = writer;
    this.#reader = reader;
    this.#lock = lock;
    this.#forget = forget;
    this.#clock = clock;
  }

  /** Throws `database_unavailable`, `database_corrupt`, `database_busy`, `storage_full`. */
  static async open(path: string, clock: Clock): Promise<SqliteEngine> {
    const opened: SqliteConnection[] = [];
    const connect = (setup: (connection: SqliteConnection) => void) => {
      const connection = new SqliteConnection(path, false);
      opened.push(connection);
      return patiently(clock, () => setup(connection)).then(() => connection);
    };
    try {
      if (path !== ':memory:') makePrivateFile(path);
      const writer = await connect(setUpWriter);
      const reader = path === ':memory:' ? writer : await connect(setUpReader);
      return new SqliteEngine(path, clock, writer, reader);
    } catch (error) {
      for (const connection of opened) connection.close();
      throw named(path, sqliteFault(error));
    }
  }

  /** Rows committed so far. For a database in memory this waits for the writer. */
  async read(sql: string, params: Parameters<SqliteConnection['all']>[1]): Promise<Record<string, unknown>[]> {
    if (this.memory) return this.alone(() => this.work(() => this.writer.all(sql, params)));
    return patiently(this.#clock, () => this.work(() => this.#reader.all(sql, params), this.#turns.readers));
  }

  /** Holds the writer while `run` works. */
  async alone<T>(run: () => T | Promise<T>): Promise<T> {
    const release = await this.acquire();
    try {
      return await run();
    } finally {
      release();
    }
  }

  /**
   * Takes the writer lock, as one of `party` if given. Throws `database_busy` after 30 s; usually a transaction then
   * waits for itself.
   */
  async acquire(party?: unknown): Promise<Release> {
    this.#assertOpen();
    const release = this.#lock.held ? await this.#queue(party) : await this.#lock.acquire();
    if (this.#turns.writers.due) await this.turn();
    if (!this.#closed) return release;
    release();
    throw closed();
  }

  /** True when the next to get the writer lock is of `party`. */
  nextIs(party: unknown): boolean {
    return this.#lock.nextIs(party);
  }

  /** Begins a transaction on the writer. The caller holds its lock. */
  begin(): Promise<void> {
    return this.patiently(() => this.work(() => this.writer.exec('BEGIN IMMEDIATE')));
  }

  /** Rolls back the writer's open transaction; SQLite does so by itself after some errors. */
  rollback(): void {
    if (this.writer.inTransaction) this.writer.exec('ROLLBACK');
  }

  /** Repeats while another process holds the file, and yields in between. */
  patiently<T>(run: () => T | Promise<T>): Promise<T> {
    return patiently(this.#clock, run);
  }

  /** Runs synchronous database work and counts its time. Lets the event loop run first when that is due. */
  work<T>(run: () => T, share = this.#turns.writers): T | Promise<T> {
    if (!share.due) return this.#timed(run, share);
    return new Promise((resolve, reject) =>
      share.wait(() => {
        try {
          resolve(this.#timed(run, share));
        } catch (error) {
          reject(error);
        }
      }),
    );
  }

  /** Lets timers and sockets run. */
  turn(): Promise<void> {
    return new Promise((resolve) => this.#turns.writers.wait(resolve));
  }

  forgetStatements(): void {
    this.writer.forgetStatements();
    this.#reader.forgetStatements();
  }

  /** Waits for the holder of the writer, then closes the file. */
  async close(): Promise<void> {
    if (this.#closed) return;
    const release = await this.acquire();
    this.#closed = true;
    this.#reader.close();
    this.writer.close();
    this.#forget();
    release();
  }

  #timed<T>(run: () => T, share: Share): T {
    this.#assertOpen();
    const before = this.#clock.monotonic();
    try {
      return run();
    } finally {
      share.spend(this.#clock.monotonic() - before);
    }
  }

  #queue(party: unknown): Promise<Release> {
    return new Promise((resolve, reject) => {
      const place = (release: Release) => {
        cancel();
        resolve(release);
      };
      const cancel = this.#clock.after(PATIENCE_MS, () => {
        if (!this.#lock.leave(place)) return;
        const detail = `SQLite was locked by another transaction for ${PATIENCE_MS / 1000} s; inside a transaction, use only that transaction`;
        reject(DatabaseErrors.busy(detail, { retryAfterMs: 1000 }));
      });
      this.#lock.queue(place, party);
    });
  }

  #assertOpen(): void {
    if (this.#closed) throw closed();
  }
}

const closed = () => DatabaseErrors.unavailable('this process is stopping and has closed the database');

function setUpWriter(connection: SqliteConnection): void {
  connection.exec('PRAGMA journal_mode = WAL');
  connection.exec('PRAGMA synchronous = FULL');
  connection.exec(`PRAGMA journal_size_limit = ${JOURNAL_BYTES}`);
  connection.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  connection.exec('PRAGMA temp_store = MEMORY');
  connection.all('SELECT count(*) FROM sqlite_master');
}

function setUpReader(connection: SqliteConnection): void {
  connection.exec('PRAGMA query_only = ON');
  connection.all('SELECT count(*) FROM sqlite_master');
}

/** Folder mode 0700 and file mode 0600, before SQLite creates its companion files with the same mode. */
function makePrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (existsSync(path)) return;
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

function named(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  // What SQLite calls an I/O error may be a file that it cannot make longer.
  const failed = isServiceError(error, DatabaseErrors.unavailable.code) && path !== ':memory:';
  if (code === 'ENOSPC' || code === 'EDQUOT' || (failed && isDiskFull(dirname(path))))
    return DatabaseErrors.storageFull(`there is no space left for ${path}`, { cause: error });
  if (error instanceof Error && 'syscall' in error)
    return DatabaseErrors.unavailable(`${path} cannot be created or opened (${code})`, { cause: error });
  if (error instanceof Error && 'definition' in error) error.message = `${path}: ${error.message}`;
  return error;
}

/** Less than this is not enough to open a database. */
const LEAST_FREE_BYTES = 256 * 1024;

function isDiskFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < LEAST_FREE_BYTES;
  } catch {
    return false;
  }
}

async function patiently<T>(clock: Clock, run: () => T | Promise<T>): Promise<T> {
  const until = clock.monotonic() + PATIENCE_MS;
  for (let pause_ms = 1; ; pause_ms = Math.min(pause_ms * 2, MAX_PAUSE_MS)) {
    try {
      return await run();
    } catch (error) {
      if (!isBusy(error) || clock.monotonic() > until) throw sqliteFault(error);
    }
    await new Promise<void>((resolve) => clock.after(pause_ms, resolve));
  }
}
