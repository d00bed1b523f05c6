import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { StatementCache } from './statement-cache.ts';
import { TableCache, writtenTable } from './table-cache.ts';

/** Statements that change no rows. A savepoint is released or rolled back by others. */
const READS = /^\s*(?:SELECT|PRAGMA|EXPLAIN)\b/i;
const PRESERVES_ROWS = /^\s*(?:BEGIN|COMMIT|SAVEPOINT|RELEASE)\b[^;]*$/i;

/** At least this many of the most recently used statements stay prepared. */
const MIN_CACHED_STATEMENTS = 256;

interface Prepared {
  statement: StatementSync;
  /** True for statements that return rows and change nothing. */
  reads: boolean;
  /** The table that it writes, if known. */
  table: string | undefined;
  columns: readonly string[];
}

export interface Changes {
  changes: number;
  lastID: number;
}

export type SqliteParams = readonly SQLInputValue[] | Record<string, SQLInputValue>;

/** A connection of node:sqlite with a cache of prepared statements. It is synchronous and throws SQLite's own errors. */
export class SqliteConnection {
  readonly #db: DatabaseSync;
  readonly #prepared = new StatementCache<Prepared>(MIN_CACHED_STATEMENTS);
  /** What transactions on this connection have read, for as long as it holds. */
  readonly cache = new TableCache();
  /** What others have read of the rows that this connection has committed, for as long as it holds. */
  readonly committed = new TableCache();
  /** What the open transaction has changed: tables, or anything. */
  readonly #changed = new Set<string>();
  #has_changed_any = false;

  constructor(path: string, readOnly: boolean) {
    this.#db = new DatabaseSync(path, { readOnly, timeout: 0, enableForeignKeyConstraints: false });
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  /** Returns rows as plain objects, and blobs as Buffers over the same memory. Throws on integers beyond 2^53. */
  all(sql: string, params: SqliteParams = []): Record<string, unknown>[] {
    const prepared = this.#prepare(sql);
    // Also when it fails: what it has changed until then is undone, or not.
    if (!prepared.reads) this.#onChange();
    const rows = run(prepared.statement, 'all', params) as unknown as unknown[][];
    if (rows.length > 0 && rows[0]!.length !== prepared.columns.length)
      prepared.columns = columnNames(prepared.statement);
    return rows.map((row) => toRow(prepared.columns, row));
  }

  run(sql: string, params: SqliteParams = []): Changes {
    const { statement, table } = this.#prepare(sql);
    const result = run(statement, 'run', params);
    if (table === undefined || Number(result.changes) > 0) this.#onChange(table);
    return { changes: Number(result.changes), lastID: Number(result.lastInsertRowid) };
  }

  /** Runs a statement without the cache of prepared statements: BEGIN, COMMIT, ROLLBACK, PRAGMA and DDL. */
  exec(sql: string): void {
    if (!PRESERVES_ROWS.test(sql)) this.#onChange();
    try {
      this.#db.exec(sql);
    } finally {
      this.#publishChanges();
    }
  }

  /** Any table may have changed if none is given. */
  #onChange(table?: string): void {
    if (table === undefined) {
      this.cache.invalidate();
      this.#has_changed_any = true;
    } else {
      this.cache.changed(table);
      this.#changed.add(table);
    }
    this.#publishChanges();
  }

  /** Others see changes when their transaction has ended, which also happens when SQLite rolls it back. */
  #publishChanges(): void {
    if (this.#db.isTransaction) return;
    if (this.#has_changed_any) this.committed.invalidate();
    for (const table of this.#changed) this.committed.changed(table);
    this.#has_changed_any = false;
    this.#changed.clear();
  }

  /** Drops every prepared statement, because after a schema change a prepared `SELECT *` returns the old columns. */
  forgetStatements(): void {
    this.#prepared.clear();
  }

  close(): void {
    this.#prepared.clear();
    if (this.#db.isOpen) this.#db.close();
  }

  #prepare(sql: string): Prepared {
    const cached = this.#prepared.get(sql);
    if (cached) return cached;
    const statement = this.#db.prepare(sql);
    statement.setReturnArrays(true);
    const prepared = { statement, columns: columnNames(statement), reads: READS.test(sql), table: writtenTable(sql) };
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}

const columnNames = (statement: StatementSync): readonly string[] => statement.columns().map((column) => column.name);

function run<M extends 'all' | 'run'>(
  statement: StatementSync,
  method: M,
  params: SqliteParams,
): ReturnType<StatementSync[M]> {
  const call = statement[method] as (...values: unknown[]) => ReturnType<StatementSync[M]>;
  return Array.isArray(params) ? call.apply(statement, params) : call.call(statement, params);
}

function toRow(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let i = 0; i < columns.length; i++) {
    const value = values[i];
    row[columns[i]!] =
      value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
  }
  return row;
}
