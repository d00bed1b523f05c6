import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Clock, isServiceError } from '../../../../kernel/contracts/index.ts';
import { DatabaseErrors } from '../errors.ts';
import { SqliteConnection } from './connection.ts';
import { isBusy, toServiceError } from './errors.ts';
import { type Lock, type Release, writerLock } from './lock.ts';
import { LoopBudget, type WorkBudget } from './loop-budget.ts';
import type { TableCache } from './table-cache.ts';

/** How long to wait for a file that another process has locked, or for the writer lock of this process. */
const BUSY_TIMEOUT_MS = 30_000;
const MAX_PAUSE_MS = 20;
/** The size of the WAL, in pages, before it is copied into the file. Pages that are rewritten meanwhile are copied once. */
const CHECKPOINT_PAGES = 4000;
/** The WAL file shrinks to this size after a burst. */
const JOURNAL_BYTES = 64 * 1024 * 1024;

/** The SQLite file of a database: one writer behind a lock, and one reader. It yields to the event loop. */
export class SqliteEngine {
  readonly memory: boolean;
  readonly writer: SqliteConnection;
  readonly #reader: SqliteConnection;
  readonly #lock: Lock;
  readonly #releaseLock: () => void;
  readonly #clock: Clock;
  readonly #loop_budget = new LoopBudget();
  #closed = false;
  /** Whether other connections' commits were looked for in this callback. */
  #is_checked = false;

  private constructor(path: string, clock: Clock, writer: SqliteConnection, reader: SqliteConnection) {
    const { lock, release } = writerLock(path);
    this.memory = path === ':memory:';
    this.writer = writer;
    this.#reader = reader;
    this.#lock = lock;
    this.#releaseLock = release;
    this.#clock = clock;
  }

  /** Throws `database_unavailable`, `database_corrupt`, `database_busy`, `storage_full`. */
  static async open(path: string, clock: Clock): Promise<SqliteEngine> {
    const opened: SqliteConnection[] = [];
    const connect = (setup: (connection: SqliteConnection) => void) => {
      const connection = new SqliteConnection(path, false);
      opened.push(connection);
      return retryWhileBusy(clock, () => setup(connection)).then(() => connection);
    };
    try {
      if (path !== ':memory:') makePrivateFile(path);
      const writer = await connect(setUpWriter);
      const reader = path === ':memory:' ? writer : await connect(setUpReader);
      return new SqliteEngine(path, clock, writer, reader);
    } catch (error) {
      for (const connection of opened) connection.close();
      throw describeOpenError(path, toServiceError(error));
    }
  }

  /** Reads committed rows. A database in memory has a single connection, so reads wait for the writer. */
  async read(sql: string, params: Parameters<SqliteConnection['all']>[1]): Promise<Record<string, unknown>[]> {
    if (this.memory) return this.withExclusiveAccess(() => this.runWork(() => this.writer.all(sql, params)));
    return retryWhileBusy(this.#clock, () =>
      this.runWork(() => this.#reader.all(sql, params), this.#loop_budget.readers),
    );
  }

  /** Holds the writer while `run` works. */
  async withExclusiveAccess<T>(run: () => T | Promise<T>): Promise<T> {
    const release = await this.acquire();
    try {
      return await run();
    } finally {
      release();
    }
  }

  /**
   * Acquires the writer lock, as a member of `party` if given. Throws `database_busy` after 30 s, which usually means that a
   * transaction waits for itself.
   */
  async acquire(party?: unknown): Promise<Release> {
    this.#assertOpen();
    const release = this.#lock.locked ? await this.#queue(party) : await this.#lock.acquire();
    if (this.#loop_budget.writers.exhausted) await this.yieldToLoop();
    if (!this.#closed) return release;
    release();
    throw closed();
  }

  /** True when the next owner of the writer lock belongs to `party`. */
  nextIs(party: unknown): boolean {
    return this.#lock.nextIs(party);
  }

  /** Begins a transaction on the writer. The caller must hold the writer lock. */
  begin(): Promise<void> {
    return this.retryWhileBusy(() =>
      this.runWork(() => {
        this.writer.exec('BEGIN IMMEDIATE');
        this.#checkVersion();
      }),
    );
  }

  /** What was read of committed rows. While the writer has a transaction, nobody else can commit. */
  committedReads(): TableCache {
    this.#assertOpen();
    if (!this.writer.inTransaction && !this.#is_checked) {
      this.#checkVersion();
      // What others commit until this callback and its promises are done cannot have been answered to anybody here.
      this.#is_checked = true;
      process.nextTick(() => {
        this.#is_checked = false;
      });
    }
    return this.writer.committed;
  }

  #checkVersion(): void {
    const [version] = this.writer.all('PRAGMA data_version');
    this.writer.cache.checkVersion(version?.data_version);
    this.writer.committed.checkVersion(version?.data_version);
  }

  /** Rolls back the writer's open transaction, unless SQLite has already done so after an error. */
  rollback(): void {
    this.writer.cache.invalidate();
    if (this.writer.inTransaction) this.writer.exec('ROLLBACK');
  }

  /** Retries while another process has the file locked, and yields in between. */
  retryWhileBusy<T>(run: () => T | Promise<T>): Promise<T> {
    return retryWhileBusy(this.#clock, run);
  }

  /** Runs synchronous database work and measures its time. Lets the event loop run first if its share is used up. */
  runWork<T>(run: () => T, share = this.#loop_budget.writers): T | Promise<T> {
    if (!share.exhausted) return this.#runTimed(run, share);
    return new Promise((resolve, reject) =>
      share.defer(() => {
        try {
          resolve(this.#runTimed(run, share));
        } catch (error) {
          reject(error);
        }
      }),
    );
  }

  /** Waits for a turn of the event loop, so that timers and sockets run. */
  yieldToLoop(): Promise<void> {
    return new Promise((resolve) => this.#loop_budget.writers.defer(resolve));
  }

  forgetStatements(): void {
    this.writer.forgetStatements();
    this.#reader.forgetStatements();
  }

  /** Waits for the writer lock, then closes the file. */
  async close(): Promise<void> {
    if (this.#closed) return;
    const release = await this.acquire();
    this.#closed = true;
    this.#reader.close();
    this.writer.close();
    this.#releaseLock();
    release();
  }

  #runTimed<T>(run: () => T, share: WorkBudget): T {
    this.#assertOpen();
    const before = this.#clock.monotonic();
    try {
      return run();
    } finally {
      share.record(this.#clock.monotonic() - before);
    }
  }

  #queue(party: unknown): Promise<Release> {
    return new Promise((resolve, reject) => {
      const waiter = (release: Release) => {
        cancel();
        resolve(release);
      };
      const cancel = this.#clock.after(BUSY_TIMEOUT_MS, () => {
        if (!this.#lock.leave(waiter)) return;
        const detail = `SQLite was locked by another transaction for ${BUSY_TIMEOUT_MS / 1000} s; inside a transaction, use only that transaction`;
        reject(DatabaseErrors.busy(detail, { retryAfterMs: 1000 }));
      });
      this.#lock.queue(waiter, party);
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

/** Creates the folder with mode 0700 and the file with mode 0600. SQLite creates its companion files with the same mode. */
function makePrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (existsSync(path)) return;
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

function describeOpenError(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  // SQLite reports an I/O error when it cannot extend a file on a full disk.
  const failed = isServiceError(error, DatabaseErrors.unavailable.code) && path !== ':memory:';
  if (code === 'ENOSPC' || code === 'EDQUOT' || (failed && isDiskFull(dirname(path))))
    return DatabaseErrors.storageFull(`there is no space left for ${path}`, { cause: error });
  if (error instanceof Error && 'syscall' in error)
    return DatabaseErrors.unavailable(`${path} cannot be created or opened (${code})`, { cause: error });
  if (error instanceof Error && 'definition' in error) error.message = `${path}: ${error.message}`;
  return error;
}

/** A database cannot be opened with less free space than this. */
const MIN_FREE_BYTES = 256 * 1024;

function isDiskFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < MIN_FREE_BYTES;
  } catch {
    return false;
  }
}

async function retryWhileBusy<T>(clock: Clock, run: () => T | Promise<T>): Promise<T> {
  const until = clock.monotonic() + BUSY_TIMEOUT_MS;
  for (let pause_ms = 1; ; pause_ms = Math.min(pause_ms * 2, MAX_PAUSE_MS)) {
    try {
      return await run();
    } catch (error) {
      if (!isBusy(error) || clock.monotonic() > until) throw toServiceError(error);
    }
    await new Promise<void>((resolve) => clock.after(pause_ms, resolve));
  }
}
