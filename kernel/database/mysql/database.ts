import type { Sequelize } from 'sequelize';
import type { Clock, Database, Ids, Log, Param, Transaction } from '../../contracts/index.ts';
import { runAfterCommit } from '../after-commit.ts';
import { mysqlDialect } from '../dialect.ts';
import { DatabaseErrors } from '../errors.ts';
import { checkParams } from '../params.ts';
import { pause } from '../retry.ts';
import { isLost, isRetryable, isTimeout, mysqlFault } from './faults.ts';
import { type MysqlPool, query, type RawConnection } from './pool.ts';
import type { ServerClock } from './server-clock.ts';
import { readOn, STATEMENT_MS, writeOn } from './statements.ts';
import { MysqlTransaction } from './transaction.ts';

const NONE: readonly Param[] = [];
/** Runs of one piece of work that lose against others. */
const ATTEMPTS = 12;
/** Connections that prove dead before anything was committed on them: a pool may hold some after a restart. */
const LOST_ATTEMPTS = 3;

interface Deps {
  clock: Clock;
  log: Log;
  ids: Ids;
}

/** `Database` over a server of the MySQL family. */
export class MysqlDatabase implements Database {
  readonly sql = mysqlDialect;
  readonly sequelize: Sequelize;
  readonly #pool: MysqlPool;
  readonly #time: ServerClock;
  readonly #deps: Deps;

  constructor(pool: MysqlPool, time: ServerClock, deps: Deps) {
    this.sequelize = pool.sequelize;
    this.#pool = pool;
    this.#time = time;
    this.#deps = deps;
  }

  async read<R = Record<string, unknown>>(statement: string, params: readonly Param[] = NONE): Promise<R[]> {
    checkParams(params);
    return this.#persist(() => this.#on((connection) => readOn<R>(connection, statement, params)));
  }

  /** A write of its own commits by itself: when the connection is lost under it, its outcome is unknown. */
  async write(statement: string, params: readonly Param[] = NONE): Promise<number> {
    checkParams(params);
    return this.#persist(() =>
      this.#on((connection) =>
        writeOn(connection, statement, params).catch((error: unknown) => {
          throw isLost(error) ? commitUnknown(error) : error;
        }),
      ),
    );
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { result, after } = await this.#persist(() => this.#on((connection) => this.#attempt(connection, work)));
    runAfterCommit(after, this.#deps.log);
    return result;
  }

  now(): number {
    return this.#time.now();
  }

  async ping(): Promise<void> {
    await this.#on((connection) => query(connection, 'SELECT 1', STATEMENT_MS)).catch((error: unknown) => {
      throw mysqlFault(error);
    });
  }

  async #attempt<T>(connection: RawConnection, work: (tx: Transaction) => Promise<T>) {
    const tx = new MysqlTransaction(connection);
    await query(connection, 'START TRANSACTION', STATEMENT_MS);
    try {
      const result = await work(tx);
      tx.assertSound();
      tx.end();
      await commit(connection);
      return { result, after: tx.after };
    } catch (error) {
      tx.end();
      // The first fault of a statement counts, also when `work` turned it into something else.
      const cause = tx.fault ?? error;
      if (!isLost(cause)) await rollback(connection);
      throw cause;
    }
  }

  /** Lends a connection; one that is of no use any more does not go back. */
  async #on<T>(run: (connection: RawConnection) => Promise<T>): Promise<T> {
    const connection = await this.#pool.acquire();
    let result: T;
    try {
      result = await run(connection);
    } catch (error) {
      if (isLost(error) || isLost((error as Error)?.cause)) await this.#pool.discard(connection);
      else this.#pool.release(connection);
      throw error;
    }
    this.#pool.release(connection);
    return result;
  }

  /** Runs again what lost against others, and what met a dead connection before it could commit anything. */
  async #persist<T>(run: () => Promise<T>): Promise<T> {
    let lost = 0;
    for (let attempt = 1; ; attempt++) {
      try {
        return await run();
      } catch (error) {
        const again = isRetryable(error)
          ? attempt < ATTEMPTS
          : isLost(error) && !isTimeout(error) && ++lost < LOST_ATTEMPTS;
        if (!again) throw mysqlFault(error);
      }
      await pause(attempt, this.#deps);
    }
  }
}

const commitUnknown = (cause: unknown) => DatabaseErrors.commitUnknown((cause as Error).message, { cause });

async function commit(connection: RawConnection): Promise<void> {
  try {
    await query(connection, 'COMMIT', STATEMENT_MS);
  } catch (error) {
    // Only these say for sure that nothing was committed.
    if (isRetryable(error)) throw error;
    connection.destroy();
    throw commitUnknown(error);
  }
}

/** A connection that cannot roll back is closed, which does. */
async function rollback(connection: RawConnection): Promise<void> {
  await query(connection, 'ROLLBACK', STATEMENT_MS).catch(() => connection.destroy());
}
