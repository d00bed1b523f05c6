import type { Sequelize } from 'sequelize';
import { token } from './tokens.ts';

/** Names are bound as strings; a number would match every non-numeric name on MySQL. */
export type Param = string | number | null | Buffer;

/**
 * One statement. `read` gives rows, `write` the number of rows that matched, changed or not (on MySQL an upsert
 * that updates counts two). Placeholders are `?`. Throws coded errors: `row_exists` for a key that is taken,
 * `database_unavailable`, `database_busy` and `storage_full` when nothing was done, `commit_unknown` when the
 * connection broke under a commit and only reading tells whether it was done.
 */
export interface Queries {
  readonly sql: SqlDialect;
  read<R = Record<string, unknown>>(statement: string, params?: readonly Param[]): Promise<R[]>;
  write(statement: string, params?: readonly Param[]): Promise<number>;
}

/** The few words in which the two families differ. */
export interface SqlDialect {
  readonly family: 'sqlite' | 'mysql';
  /** `''` on SQLite, where a transaction holds the only writer. */
  readonly for_update: string;
  /** Locks what is free and skips the rest; `''` on SQLite. */
  readonly for_update_skip_locked: string;
  /** `INSERT OR IGNORE INTO` / `INSERT IGNORE INTO`. */
  readonly insert_ignore: string;
  /** Ends an `INSERT … VALUES …`: on a conflict of `key`, takes the new values of `columns`. */
  upsert(key: readonly string[], columns: readonly string[]): string;
}

export interface Transaction extends Queries {
  /** Runs after the commit is known; not at all after a rollback. Must not throw. */
  afterCommit(run: () => void): void;
}

/**
 * The database of this process: prepared statements for what must be fast, Sequelize for the rest.
 * Transactions are READ COMMITTED on MySQL and IMMEDIATE on SQLite, retried on deadlock, lock wait and busy
 * with jitter, so `work` may run more than once and must do nothing but database work. A transaction must stay
 * local to one run or project.
 */
export interface Database extends Queries {
  readonly sequelize: Sequelize;
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Milliseconds since the epoch by the database's clock, corrected between readings by a monotonic clock. */
  now(): number;
  /** One round trip; throws when the database does not answer. */
  ping(): Promise<void>;
}

/** What one item of a batch came to. A refused item never takes others down with it. */
export type BatchOutcome<R> = { ok: R } | { error: unknown };

/**
 * Group commit: callers queue, one transaction is in flight, the next is cut when it returns. The promise of
 * `submit` settles only after the commit of the batch that held the item.
 */
export interface GroupCommit<P, R> {
  submit(item: P): Promise<R>;
  /** Resolves when everything submitted before is settled. */
  drain(): Promise<void>;
}

export interface GroupCommits {
  /**
   * `flush` does a whole batch in one transaction with as few statements as it can. When it throws, the batch
   * is halved and tried again, so that one poisonous item fails alone.
   */
  create<P, R>(rules: {
    name: string;
    max_batch: number;
    flush: (tx: Transaction, batch: readonly P[]) => Promise<BatchOutcome<R>[]>;
  }): GroupCommit<P, R>;
}

/** A step of the schema: one statement per dialect, because MySQL commits each by itself. */
export interface Migration {
  /** `0001-runs`; unique within the plugin, run in order of name. */
  name: string;
  sqlite: readonly string[];
  mysql: readonly string[];
}

export const Database = token<Database>('kernel.Database');
export const GroupCommits = token<GroupCommits>('kernel.GroupCommits');
