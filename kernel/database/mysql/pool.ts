import mysql2 from 'mysql2';
import { type Options, Sequelize } from 'sequelize';
import { DatabaseErrors } from '../errors.ts';
import type { MysqlAddress } from '../url.ts';
import { mysqlFault } from './faults.ts';

/** What this needs of a connection of mysql2. */
export interface RawConnection {
  execute(options: Statement & { values: readonly unknown[] }, answer: Answered): unknown;
  query(options: Statement & { values?: readonly unknown[] }, answer: Answered): unknown;
  readonly config: { typeCast?: unknown };
  destroy(): void;
}

interface Statement {
  sql: string;
  timeout?: number;
  /** Also keeps the driver from sharing a compiled row parser with Sequelize, whose rows are cast. */
  dateStrings: true;
}

type Answered = (error: Error | null, result: unknown, columns: unknown) => void;

/** What this needs of Sequelize's own pool, which its types leave out. */
interface ConnectionManager {
  getConnection(options: { type: string }): Promise<RawConnection>;
  releaseConnection(connection: RawConnection): void;
  pool: { destroy(connection: RawConnection): Promise<void> };
}

const CONNECTIONS = 16;
const CONNECT_MS = 10_000;
const ACQUIRE_MS = 30_000;
const IDLE_MS = 60_000;
/** Per connection; servers keep about 16,000 for all their clients. */
const PREPARED = 256;

/** Sessions agree on everything that a server may have set otherwise. */
const SESSION = [
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  "SET time_zone = '+00:00', autocommit = 1, sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
];

/** Sequelize and, through its pool, the connections of everything else. */
export class MysqlPool {
  readonly sequelize: Sequelize;
  readonly #connections: ConnectionManager;
  #typeCast: unknown;
  #closing: Promise<void> | undefined;

  constructor(address: MysqlAddress) {
    this.sequelize = new Sequelize(address.database, address.user, address.password, {
      dialect: 'mysql',
      dialectModule: mysql2,
      host: address.host,
      port: address.port,
      logging: false,
      timezone: '+00:00',
      keepDefaultTimezone: true,
      // Any recent version will do: it only spares a connection that asks for it.
      databaseVersion: '8.0.0',
      define: { charset: 'utf8mb4', collate: 'utf8mb4_bin' },
      pool: { max: CONNECTIONS, min: 0, idle: IDLE_MS, acquire: ACQUIRE_MS },
      dialectOptions: driverOptions(address),
    } as Options);
    this.sequelize.addHook('afterConnect', (connection: unknown) => setUp(connection as RawConnection));
    this.#connections = (this.sequelize as unknown as { connectionManager: ConnectionManager }).connectionManager;
  }

  /**
   * A connection of the pool, without Sequelize's cast of every single value, which halves the speed of reading.
   * Throws `database_unavailable`.
   */
  async acquire(): Promise<RawConnection> {
    if (this.#closing) throw DatabaseErrors.unavailable('this process has closed the database; it is stopping');
    try {
      const connection = await this.#connections.getConnection({ type: 'WRITE' });
      this.#typeCast ??= connection.config.typeCast;
      connection.config.typeCast = undefined;
      return connection;
    } catch (error) {
      const fault = mysqlFault(error);
      if (fault !== error) throw fault;
      throw DatabaseErrors.unavailable((error as Error).message, { cause: error, retryAfterMs: 1000 });
    }
  }

  release(connection: RawConnection): void {
    connection.config.typeCast = this.#typeCast;
    this.#connections.releaseConnection(connection);
  }

  /** For connections in an unknown state. */
  async discard(connection: RawConnection): Promise<void> {
    connection.destroy();
    await this.#connections.pool.destroy(connection);
  }

  close(): Promise<void> {
    this.#closing ??= this.sequelize.close();
    return this.#closing;
  }
}

function driverOptions(address: MysqlAddress) {
  return {
    charset: 'utf8mb4_bin',
    // Guards count the rows that matched, as SQLite does, and not only those whose values changed.
    flags: ['+FOUND_ROWS'],
    connectTimeout: CONNECT_MS,
    maxPreparedStatements: PREPARED,
    decimalNumbers: true,
    jsonStrings: true,
    ...(address.socket ? { socketPath: address.socket } : {}),
    ...(address.tls === 'off' ? {} : { ssl: { rejectUnauthorized: address.tls === 'verify' } }),
  };
}

async function setUp(connection: RawConnection): Promise<void> {
  try {
    await Promise.all(SESSION.map((sql) => query(connection, sql, CONNECT_MS)));
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

/** By the text protocol: what the server does not prepare. */
export function query(connection: RawConnection, sql: string, timeout_ms?: number, values?: readonly unknown[]) {
  return new Promise<{ result: unknown; columns: unknown }>((resolve, reject) => {
    connection.query(
      { sql, timeout: timeout_ms, dateStrings: true, ...(values ? { values } : {}) },
      (error, result, columns) => (error ? reject(error) : resolve({ result, columns })),
    );
  });
}

/** Prepared once per connection, then only the parameters travel. */
export function execute(connection: RawConnection, sql: string, values: readonly unknown[], timeout_ms: number) {
  return new Promise<{ result: unknown; columns: unknown }>((resolve, reject) => {
    connection.execute({ sql, values, timeout: timeout_ms, dateStrings: true }, (error, result, columns) =>
      error ? reject(error) : resolve({ result, columns }),
    );
  });
}
