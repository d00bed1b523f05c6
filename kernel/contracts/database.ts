import type { Sequelize } from 'sequelize';
import type { ServiceError } from './errors.ts';
import { token } from './tokens.ts';

/** Always bind names as strings: MySQL compares a number with every non-numeric name as equal to zero. */
export type Param = string | number | null | Buffer;

/**
 * Runs single statements with `?` placeholders. `read` returns rows; `write` returns the number of matching rows, changed or
 * not (an upsert that updates counts as two on MySQL). Throws `row_exists` for a duplicate key; `database_unavailable`,
 * `database_busy` or `storage_full` when nothing was done; and `commit_unknown` when the connection broke during a commit, so
 * that only a read can tell the outcome.
 */
export interface Queries {
  readonly sql: SqlDialect;
  read<R = Record<string, unknown>>(statement: string, params?: readonly Param[]): Promise<R[]>;
  write(statement: string, params?: readonly Param[]): Promise<number>;
}

/** The syntax in which the two SQL families differ. */
export interface SqlDialect {
  readonly family: 'sqlite' | 'mysql';
  /** `INSERT OR IGNORE INTO` / `INSERT IGNORE INTO`. */
  readonly insert_ignore: string;
  /** The clause after `INSERT … VALUES …` that takes the new values of `columns` on a conflict of `key`. */
  upsert(key: readonly string[], columns: readonly string[]): string;
}

/** The rows that a transaction locks before it decides anything from them. The table needs a column `lock_version`. */
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
  /** Skips rows that another transaction has locked. */
  skip_locked?: boolean;
}

/** Statements, and what they answered before. */
export interface CachedQueries extends Queries {
  /**
   * What `load` answered for this key before, as long as nobody has written to these tables since; otherwise what it answers
   * now. Only SQLite, which has one writer, can tell that: elsewhere `load` is called each time. A value must not be changed.
   */
  cached<T>(key: string, tables: readonly string[], load: () => T | Promise<T>): Promise<T>;
}

export type CachedReads = Pick<CachedQueries, 'read' | 'sql' | 'cached'>;

export interface Transaction extends CachedQueries {
  /**
   * Reads rows and locks them until the transaction ends. (SQLite runs one writing transaction at a time anyway.) Each locked
   * row is also written before the commit, because a database with several writers (Galera) detects conflicts only between
   * written rows.
   */
  lock<R = Record<string, unknown>>(rows: LockedRows): Promise<R[]>;
  /**
   * Says that these locked rows need no extra write before the commit: the transaction has changed or deleted them, or has
   * decided nothing from them that a concurrent transaction could miss.
   */
  skipConflictGuard(table: string, keys: readonly (readonly Param[])[]): void;
  /** Replaces a cached value by what follows from the writes of this transaction. */
  setCached(key: string, tables: readonly string[], value: unknown): void;
  /** Runs after the commit, and never after a rollback. Must not throw. */
  afterCommit(run: () => void): void;
}

/**
 * The database of this process: prepared statements for hot paths, Sequelize for the rest. Transactions are READ
 * COMMITTED on MySQL and IMMEDIATE on SQLite. They are retried with jitter after a deadlock, a lock wait timeout or a busy
 * database; once more when they throw a 4xx error that stale reads may have caused; and after `outside` work that an error
 * asks for. So `work` may run several times and must do nothing but database work. A transaction must stay local to one run
 * or project.
 */
export interface Database extends CachedQueries {
  readonly sequelize: Sequelize;
  /**
   * The same for reads outside of transactions: a value holds until somebody commits a change of its tables. `bytes` is about
   * what a value takes in memory; without it, values must be small.
   */
  cached<T>(
    key: string,
    tables: readonly string[],
    load: () => T | Promise<T>,
    bytes?: (value: T) => number,
  ): Promise<T>;
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Waits until every statement of this process sees what was committed on any node before the call. Returns false when that
   * was already so: only Galera nodes apply the commits of others a moment later. Call it before rejecting something because
   * a row was not found. A transaction that throws a 4xx error does so by itself.
   */
  catchUp(): Promise<boolean>;
  /** Milliseconds since the epoch by the database's clock, which a monotonic clock carries forward between readings. */
  now(): number;
  /**
   * True when this node is one of several that certify transactions at the commit (Galera). Row locks then do not reach the
   * other nodes, and concurrent writers of one row on different nodes abort each other.
   */
  usesCommitCertification(): boolean;
  /** One round trip; throws when the database does not answer. */
  ping(): Promise<void>;
  /** The error that every write throws once a newer version of svc has migrated the database; undefined until then. */
  retired(): ServiceError | undefined;
}

/** The result of one item of a batch. An item that is rejected never fails the others. */
export type BatchOutcome<R> = { ok: R } | { error: unknown };

/**
 * Group commit: callers queue while one transaction is in flight, and the next batch forms when it returns. The promise of
 * `submit` settles only after its batch has committed.
 */
export interface GroupCommit<P, R> {
  submit(item: P): Promise<R>;
  /** Resolves when everything submitted before has settled. */
  drain(): Promise<void>;
}

/**
 * Items for which `apart` returns different keys never share a transaction. When `flush` throws, the batch is halved and
 * each half is tried again; when the error asks for work outside of the transaction, the batch is tried again after it.
 */
export interface GroupRules<P, R> {
  name: string;
  max_batch: number;
  partition?: ((item: P) => string) | undefined;
  flush: (tx: Transaction, batch: readonly P[]) => Promise<BatchOutcome<R>[]>;
}

export interface GroupCommits {
  create<P, R>(rules: GroupRules<P, R>): GroupCommit<P, R>;
}

/** A change of the schema. Each string holds one statement, because MySQL commits each schema change by itself. */
export interface Migration {
  /** `0001-runs`; unique within the plugin. Migrations run in order of name. */
  name: string;
  sqlite: readonly string[];
  mysql: readonly string[];
  /**
   * Servers of the previous version may keep running: they need not know what this adds, and they write nothing that this
   * version would misread. Without it, they stop taking work and no longer start.
   */
  additive?: true;
}

export const Database = token<Database>('kernel.Database');
export const GroupCommits = token<GroupCommits>('kernel.GroupCommits');
