import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { StatementCache } from './statement-cache.ts';

/** Statements kept prepared: at least so many of those used last. */
const PREPARED = 256;

interface Prepared {
  statement: StatementSync;
  columns: readonly string[];
}

export interface Changes {
  changes: number;
  lastID: number;
}

export type SqliteParams = readonly SQLInputValue[] | Record<string, SQLInputValue>;

/** One connection of node:sqlite with a cache of prepared statements. Synchronous; throws SQLite's own errors. */
export class SqliteConnection {
  readonly #db: DatabaseSync;
  readonly #prepared = new StatementCache<Prepared>(PREPARED);

  constructor(path: string, readOnly: boolean) {
    this.#db = new DatabaseSync(path, { readOnly, timeout: 0, enableForeignKeyConstraints: false });
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  /** Rows as plain objects; blobs as Buffers over the same memory. Throws on integers beyond 2^53. */
  all(sql: string, params: SqliteParams = []): Record<string, unknown>[] {
    const prepared = this.#prepare(sql);
    const rows = run(prepared.statement, 'all', params) as unknown as unknown[][];
    if (rows.length > 0 && rows[0]!.length !== prepared.columns.length) prepared.columns = names(prepared.statement);
    return rows.map((row) => build(prepared.columns, row));
  }

  run(sql: string, params: SqliteParams = []): Changes {
    const result = run(this.#prepare(sql).statement, 'run', params);
    return { changes: Number(result.changes), lastID: Number(result.lastInsertRowid) };
  }

  /** Without the cache: for BEGIN, COMMIT, ROLLBACK, PRAGMA and DDL. */
  exec(sql: string): void {
    this.#db.exec(sql);
  }

  /** Drops every prepared statement: after a schema change, a prepared `SELECT *` has the old columns. */
  forgetStatements(): void {
    this.#prepared.clear();
  }

  close(): void {
    this.#prepared.clear();
    if (this.#db.isOpen) this.#db.close();
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known) return known;
    const statement = this.#db.prepare(sql);
    statement.setReturnArrays(true);
    const prepared = { statement, columns: names(statement) };
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}

const names = (statement: StatementSync): readonly string[] => statement.columns().map((column) => column.name);

function run<M extends 'all' | 'run'>(
  statement: StatementSync,
  method: M,
  params: SqliteParams,
): ReturnType<StatementSync[M]> {
  const call = statement[method] as (...values: unknown[]) => ReturnType<StatementSync[M]>;
  return Array.isArray(params) ? call.apply(statement, params) : call.call(statement, params);
}

function build(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let i = 0; i < columns.length; i++) {
    const value = values[i];
    row[columns[i]!] =
      value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
  }
  return row;
}
