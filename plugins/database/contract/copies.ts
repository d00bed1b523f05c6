import { extensionPoint, type Queries, token } from '../../../kernel/contracts/index.ts';

/** A value of a row, whatever the database. Whole numbers beyond 2^53 are bigints. */
export type CopiedValue = string | number | bigint | null | Buffer;
export type CopiedRow = readonly CopiedValue[];

export interface CopiedTable {
  name: string;
  columns: readonly string[];
}

/** Rows of one moment, read while others write. Nothing is written and nobody is locked out. */
export interface Snapshot {
  readonly family: 'sqlite' | 'mysql';
  /** Tables of svc and its plugins, without those of the migrator, by name. */
  readonly tables: readonly CopiedTable[];
  /** Tables that no plugin of the database has made. */
  readonly foreign: readonly string[];
  /** Migrations that were applied (`runs/0001-runs`), in their order. */
  readonly migrations: readonly string[];
  /** All rows of a table, some at a time; what is read ahead is bounded. */
  rows(table: CopiedTable): AsyncIterable<CopiedRow[]>;
  /** A small read of the same moment. */
  read<R = Record<string, unknown>>(statement: string, params?: readonly (string | number)[]): Promise<R[]>;
  close(): Promise<void>;
}

/** An empty database that is being filled. Servers that are started meanwhile refuse it, or do not see it. */
export interface Filling {
  readonly family: 'sqlite' | 'mysql';
  /** Makes the tables, without rows. Throws `backup_newer` for migrations that this process does not have. */
  build(migrations: readonly string[]): Promise<void>;
  /** Throws `backup_damaged` when there is no such table or column. */
  table(table: CopiedTable): { insert(rows: readonly CopiedRow[]): Promise<void> };
  /**
   * The database is complete: applies later migrations, and lets servers open it. Answers the migrations that were
   * applied.
   */
  finish(): Promise<string[]>;
  /** Takes everything back. Answers what is left to be done by hand, if anything. */
  abandon(): Promise<string | undefined>;
}

/** Copies of whole databases, row by row. The database is the one of the settings; it is neither migrated nor opened before. */
export interface DatabaseCopies {
  /** Throws `backup_nothing` when there is no database of svc, `backup_unmigrated` while its schema is being changed. */
  snapshot(): Promise<Snapshot>;
  /** Throws `restore_not_empty`. */
  fill(): Promise<Filling>;
}

export const DatabaseCopies = token<DatabaseCopies>('database.Copies');

/**
 * Called once the rows of a copy are there and the schema is of this version. What one kind of database does not write,
 * because its other rows say it, is written here for the other kind.
 */
export type SettleCopy = (on: Queries) => Promise<void>;

export const SettledCopies = extensionPoint<SettleCopy>('database.SettledCopies');
