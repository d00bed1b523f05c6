import { existsSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { PluginMigrations } from '../../../../kernel/contracts/index.ts';
import type { CopiedRow, CopiedTable, CopiedValue, Snapshot } from '../contract/copies.ts';
import { CopyErrors } from '../contract/copy-errors.ts';
import { inBatches } from '../copy/batches.ts';
import { appliedMigrations, isPluginTable, LEDGER, type LedgerRow } from '../copy/migrations.ts';
import { toServiceError } from './errors.ts';

/** Another process may have the file locked while it recovers the WAL. */
const BUSY_TIMEOUT_MS = 30_000;

/** Opens a read transaction on a separate connection. With a WAL, others can write meanwhile. */
export function sqliteSnapshot(path: string, list: readonly PluginMigrations[]): Snapshot {
  if (path === ':memory:') throw CopyErrors.nothing('sqlite::memory: is lost when its process ends');
  if (!existsSync(path)) throw CopyErrors.nothing(`${path} does not exist`);
  const db = open(path);
  try {
    db.exec('BEGIN');
    const names = readAll<{ name: string }>(
      db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"),
    ).map(({ name }) => name);
    if (!names.includes(LEDGER[0]!)) throw CopyErrors.nothing(`${path} is not an svc database`);
    const ledger = readAll<LedgerRow>(db.prepare('SELECT name, applied_at FROM kernel_migrations ORDER BY name'));
    return new SqliteSnapshot(db, names.sort(), appliedMigrations(ledger, list, 'sqlite'));
  } catch (error) {
    db.close();
    throw toServiceError(error);
  }
}

function open(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  } catch (error) {
    throw toServiceError(error);
  }
}

const readAll = <R>(statement: StatementSync, params: readonly (string | number)[] = []): R[] =>
  statement.all(...params) as R[];

class SqliteSnapshot implements Snapshot {
  readonly family = 'sqlite';
  readonly tables: readonly CopiedTable[];
  readonly foreign: readonly string[];
  readonly migrations: readonly string[];
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync, names: readonly string[], migrations: readonly string[]) {
    this.#db = db;
    this.migrations = migrations;
    const others = names.filter((name) => !LEDGER.includes(name));
    this.foreign = others.filter((name) => !isPluginTable(name, migrations));
    this.tables = others
      .filter((name) => isPluginTable(name, migrations))
      .map((name) => ({
        name,
        columns: readAll<{ name: string }>(db.prepare('SELECT name FROM pragma_table_info(?) ORDER BY cid'), [
          name,
        ]).map((column) => column.name),
      }));
  }

  async *rows({ name, columns }: CopiedTable): AsyncGenerator<CopiedRow[]> {
    const statement = this.#db.prepare(`SELECT ${columns.join(', ')} FROM ${name}`);
    statement.setReturnArrays(true);
    statement.setReadBigInts(true);
    const rows = statement.iterate() as Iterable<unknown> as Iterable<unknown[]>;
    try {
      yield* inBatches(copyRows(rows));
    } catch (error) {
      throw toServiceError(error);
    }
  }

  async read<R>(statement: string, params: readonly (string | number)[] = []): Promise<R[]> {
    return readAll<R>(this.#db.prepare(statement), params).map((row) => {
      for (const [name, value] of Object.entries(row as Record<string, unknown>))
        if (value instanceof Uint8Array) (row as Record<string, unknown>)[name] = toCopiedValue(value);
      return row;
    });
  }

  async close(): Promise<void> {
    this.#db.close();
  }
}

function* copyRows(rows: Iterable<unknown[]>): Generator<CopiedRow> {
  for (const values of rows) yield values.map(toCopiedValue);
}

function toCopiedValue(value: unknown): CopiedValue {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) return Number(value);
  return value as CopiedValue;
}
