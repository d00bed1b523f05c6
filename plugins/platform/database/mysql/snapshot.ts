import mysql2, { type Connection } from 'mysql2';
import type { PluginMigrations } from '../../../../kernel/contracts/index.ts';
import type { CopiedRow, CopiedTable, Snapshot } from '../contract/copies.ts';
import { CopyErrors } from '../contract/copy-errors.ts';
import { inBatches } from '../copy/batches.ts';
import { appliedMigrations, isPluginTable, LEDGER, type LedgerRow } from '../copy/migrations.ts';
import { DatabaseErrors } from '../errors.ts';
import type { MysqlAddress } from '../url.ts';
import { toServiceError } from './errors.ts';
import { driverOptions } from './pool.ts';

/** Errors that mean that the schema was changed after the snapshot was taken. */
const CHANGED: ReadonlySet<number> = new Set([1412, 1146, 1054]);

const SETUP = [
  'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ',
  // The reader compresses and writes meanwhile, so the server must wait for it.
  "SET time_zone = '+00:00', net_write_timeout = 600",
  'START TRANSACTION WITH CONSISTENT SNAPSHOT',
];

/** Opens a transaction with a consistent snapshot on a separate connection. */
export async function mysqlSnapshot(address: MysqlAddress, list: readonly PluginMigrations[]): Promise<Snapshot> {
  const { host, port, user, password, database } = address;
  const options = { ...driverOptions(address), host, port, user, password, database };
  const connection = mysql2.createConnection({ ...options, supportBigNumbers: true } as mysql2.ConnectionOptions);
  // Every statement reports a broken connection as well.
  connection.on('error', () => undefined);
  try {
    for (const sql of SETUP) await runQuery(connection, sql);
    const columns = await runQuery<{ name: string; column: string }>(
      connection,
      'SELECT c.table_name AS name, c.column_name AS `column` FROM information_schema.columns c' +
        ' JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name' +
        " WHERE c.table_schema = DATABASE() AND t.table_type = 'BASE TABLE' ORDER BY c.table_name, c.ordinal_position",
    );
    if (!columns.some(({ name }) => name === LEDGER[0]))
      throw CopyErrors.nothing(`the database ${database} contains no svc tables`);
    const ledger = await runQuery<LedgerRow>(
      connection,
      'SELECT name, applied_at FROM kernel_migrations ORDER BY name',
    );
    return new MysqlSnapshot(connection, columns, appliedMigrations(ledger, list, 'mysql'));
  } catch (error) {
    connection.destroy();
    throw toCopyError(error);
  }
}

function runQuery<R>(connection: Connection, sql: string, values: readonly (string | number)[] = []): Promise<R[]> {
  return new Promise((resolve, reject) => {
    connection.query({ sql, values: [...values], dateStrings: true }, (error, rows) =>
      error ? reject(error) : resolve(rows as R[]),
    );
  });
}

function toCopyError(error: unknown): unknown {
  const { errno = 0, code = '', message } = error as { errno?: number; code?: string; message: string };
  if (CHANGED.has(errno)) return CopyErrors.unmigrated(`the schema changed while it was being read: ${message}`);
  const service_error = toServiceError(error);
  // A connection that was never established fails with network codes only.
  return service_error === error && /^E[A-Z]+$/.test(code)
    ? DatabaseErrors.unavailable(message, { cause: error })
    : service_error;
}

class MysqlSnapshot implements Snapshot {
  readonly family = 'mysql';
  readonly tables: readonly CopiedTable[];
  readonly foreign: readonly string[];
  readonly migrations: readonly string[];
  readonly #connection: Connection;

  constructor(
    connection: Connection,
    columns: readonly { name: string; column: string }[],
    migrations: readonly string[],
  ) {
    this.#connection = connection;
    this.migrations = migrations;
    const tables = new Map<string, string[]>();
    for (const { name, column } of columns)
      if (!LEDGER.includes(name)) tables.set(name, [...(tables.get(name) ?? []), column]);
    this.foreign = [...tables.keys()].filter((name) => !isPluginTable(name, migrations));
    this.tables = [...tables]
      .filter(([name]) => isPluginTable(name, migrations))
      .map(([name, columns]) => ({ name, columns }));
  }

  async *rows({ name, columns }: CopiedTable): AsyncGenerator<CopiedRow[]> {
    const query = this.#connection.query({
      sql: `SELECT ${columns.join(', ')} FROM ${name}`,
      rowsAsArray: true,
      dateStrings: true,
    });
    try {
      yield* inBatches(query.stream({ highWaterMark: 64 }) as AsyncIterable<CopiedRow>);
    } catch (error) {
      throw toCopyError(error);
    }
  }

  async read<R>(statement: string, params: readonly (string | number)[] = []): Promise<R[]> {
    return runQuery<R>(this.#connection, statement, params).catch((error: unknown) => {
      throw toCopyError(error);
    });
  }

  /** Drops the connection without a goodbye, because the server may still be sending rows. */
  async close(): Promise<void> {
    this.#connection.destroy();
  }
}
