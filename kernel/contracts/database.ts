import type { Sequelize } from 'sequelize';
import type { ServiceError } from './errors.ts';
import { token } from './tokens.ts';

/** Names are bound as strings: on MySQL a number would match every non-numeric name. */
export type Param = string | number | null | Buffer;

/**
 * Runs one statement. `read` answers rows; `write` answers the number of matching rows, changed or not (an upsert that
 * updates counts two on MySQL). Placeholders are `?`. Throws coded errors: `row_exists` for a duplicate key;
 * `database_unavailable`, `database_busy` and `storage_full` when nothing was done; `commit_unknown` when the
 * connection broke during a commit, so that only reading shows the result.
 */
export interface Queries {
  readonly sql: SqlDialect;
  read<R = Record<string, unknown>>(statement: string, params?: readonly Param[]): Promise<R[]>;
  write(statement: string, params?: readonly Param[]): Promise<number>;
}

/** The words in which the two SQL families differ. */
export interface SqlDialect {
  readonly family: 'sqlite' | 'mysql';
  /** `INSERT OR IGNORE INTO` / `INSERT IGNORE INTO`. */
  readonly insert_ignore: string;
  /** Ends an `INSERT … VALUES …`: on a conflict of `key`, takes the new values of `columns`. */
  upsert(key: readonly string[], columns: readonly string[]): string;
}

/** Rows that a transaction locks to decide by them. The table has a column `lock_version`. */
export interface LockedRows {
  table: string;
  /** The columns of its primary key. */
  key: readonly string[];
  /** The columns to read, separated by commas. */
  columns: string;
  where: string;
  params: readonly Param[];
  /** The order in which they are locked; default: by key. */
  order?: string;
  limit?: number;
  /** Passes over rows that others hold. */
  skip?: boolean;
}

export interface Transaction extends Queries {
  /**
   * Reads rows and holds them until the transaction ends (on SQLite a transaction is alone anyway). Each
   * is also written before the commit: databases with several writers (Galera) see conflicts only in written rows.
   */
  lock<R = Record<string, unknown>>(rows: LockedRows): Promise<R[]>;
  /**
   * These locked rows need no further write: the transaction has surely changed or deleted them, or decided nothing by
   * them that a rival could miss.
   */
  settled(table: string, keys: readonly (readonly Param[])[]): void;
  /** Runs after the commit, and never after a rollback. Must not throw. */
  afterCommit(run: () => void): void;
}

/**
 * The database of this process: prepared statements for hot paths, Sequelize for the rest. Transactions are READ
 * COMMITTED on MySQL and IMMEDIATE on SQLite. They are retried with jitter after a deadlock, a lock wait timeout or a
 * busy database, once before a refusal where that may be out of date, and when an error tells work to be done outside, so
 * `work` may run more than once and must do nothing but database work. A transaction must stay local to one run or project.
 */
export interface Database extends Queries {
  readonly sequelize: Sequelize;
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Afterwards every statement of this process sees what was committed anywhere before the call. False when that was so
   * already; on Galera a node applies commits of others a moment later. What commits has been certified, so this is for
   * those who refuse by what they did not find. A transaction that throws a refusal does it by itself.
   */
  catchUp(): Promise<boolean>;
  /** Milliseconds since the epoch by the database's clock; between readings a monotonic clock carries it forward. */
  now(): number;
  /**
   * True when this server's database node is one of several that certify transactions at the commit (Galera): a row lock
   * does not reach the other nodes, and writers of one row on different nodes abort each other.
   */
  certifies(): boolean;
  /** One round trip; throws when the database does not answer. */
  ping(): Promise<void>;
  /** Why this process may not write any more: a newer version has migrated the database. Every write throws it. */
  retired(): ServiceError | undefined;
}

/** The result of one item of a batch. A refused item never fails the others. */
export type BatchOutcome<R> = { ok: R } | { error: unknown };

/**
 * Group commit: callers queue, one transaction is in flight, and the next batch is formed when it returns. The promise
 * of `submit` settles only after the commit of its batch.
 */
export interface GroupCommit<P, R> {
  submit(item: P): Promise<R>;
  /** Resolves when everything submitted before has settled. */
  drain(): Promise<void>;
}

/** Items that `apart` sets apart share no transaction. A `flush` that throws is halved and repeated, or after work outside. */
export interface GroupRules<P, R> {
  name: string;
  max_batch: number;
  apart?: ((item: P) => string) | undefined;
  flush: (tx: Transaction, batch: readonly P[]) => Promise<BatchOutcome<R>[]>;
}

export interface GroupCommits {
  create<P, R>(rules: GroupRules<P, R>): GroupCommit<P, R>;
}

/** A step of the schema. One statement in each string, because MySQL commits each schema change by itself. */
export interface Migration {
  /** `0001-runs`; unique within the plugin. Migrations run in order of name. */
  name: string;
  sqlite: readonly string[];
  mysql: readonly string[];
  /**
   * Servers of the version before may go on beside it: they need not know what it adds, nor do they write what this version
   * would read wrongly. Absent: they stop taking work, and do not start any more.
   */
  additive?: true;
}

export const Database = token<Database>('kernel.Database');
export const GroupCommits = token<GroupCommits>('kernel.GroupCommits');
