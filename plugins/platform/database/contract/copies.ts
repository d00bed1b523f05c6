import { extensionPoint, type Queries, token } from '../../../../kernel/contracts/index.ts';

/** A value of a row of either database. Integers beyond 2^53 are bigints. */
export type CopiedValue = string | number | bigint | null | Buffer;
export type CopiedRow = readonly CopiedValue[];

export interface CopiedTable {
  name: string;
  columns: readonly string[];
}

/** A consistent snapshot of all rows, read while others write. It writes nothing and blocks nobody. */
export interface Snapshot {
  readonly family: 'sqlite' | 'mysql';
  /** The tables of svc and its plugins, without those of the migrator, sorted by name. */
  readonly tables: readonly CopiedTable[];
  /** The tables that belong to no plugin. */
  readonly foreign: readonly string[];
  /** The applied migrations (`runs/0001-runs`), sorted by name. */
  readonly migrations: readonly string[];
  /** Yields all rows of a table in batches, and reads only a bounded number ahead. */
  rows(table: CopiedTable): AsyncIterable<CopiedRow[]>;
  /** Reads a few rows from the same snapshot. */
  read<R = Record<string, unknown>>(statement: string, params?: readonly (string | number)[]): Promise<R[]>;
  close(): Promise<void>;
}

/** An empty database that a restore fills. Servers that start meanwhile do not open it, or do not see it. */
export interface RestoreTarget {
  readonly family: 'sqlite' | 'mysql';
  /** Creates the tables without rows. Throws `backup_newer` for migrations that this process does not have. */
  build(migrations: readonly string[]): Promise<void>;
  /** Throws `backup_damaged` when there is no such table or column. */
  table(table: CopiedTable): { insert(rows: readonly CopiedRow[]): Promise<void> };
  /**
   * Applies later migrations and lets servers open the database, which is complete then. Returns the migrations that were
   * applied.
   */
  finish(): Promise<string[]>;
  /** Undoes everything. Returns what is left to do by hand, if anything. */
  abandon(): Promise<string | undefined>;
}

/** Copies whole databases row by row. The database is that of the settings, which need not be migrated or open. */
export interface DatabaseCopies {
  /** Throws `backup_nothing` when there is no database of svc, and `backup_unmigrated` while its schema is being changed. */
  snapshot(): Promise<Snapshot>;
  /** Throws `restore_not_empty` when the database has tables. */
  fill(): Promise<RestoreTarget>;
}

export const DatabaseCopies = token<DatabaseCopies>('database.Copies');

/**
 * Called after a restore, when all rows are there and the schema is that of this version. It writes the rows that only one
 * kind of database stores, because the other kind derives them from other rows.
 */
export type AfterRestore = (on: Queries) => Promise<void>;

export const AfterRestoreHooks = extensionPoint<AfterRestore>('database.SettledCopies');
