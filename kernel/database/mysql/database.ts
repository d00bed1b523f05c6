import type { Sequelize } from 'sequelize';
import type { Clock, Database, Ids, Log, Param, Transaction } from '../../contracts/index.ts';
import { runAfterCommit } from '../after-commit.ts';
import { mysqlDialect } from '../dialect.ts';
import { DatabaseErrors } from '../errors.ts';
import { checkParams } from '../params.ts';
import { pause } from '../retry.ts';
import { isLost, isRetryable, isTimeout, mysqlFault } from './faults.ts';
import type { MysqlPool } from './pool.ts';
import type { ServerClock } from './server-clock.ts';
import type { MysqlSession } from './session.ts';
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
    return this.#persist(() => this.#on((session) => session.read<R>(statement, params)));
  }

  /** A write of its own commits by itself: when the connection is lost under it, its outcome is unknown. */
  async write(statement: string, params: readonly Param[] = NONE): Promise<number> {
    checkParams(params);
    return this.#persist(() =>
      this.#on((session) =>
        session.write(statement, params).catch((error: unknown) => {
          throw isLost(error) ? commitUnknown(error) : error;
        }),
      ),
    );
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { result, after } = await this.#persist(() => this.#on((session) => this.#attempt(session, work)));
    runAfterCommit(after, this.#deps.log);
    return result;
  }

  now(): number {
    return this.#time.now();
  }

  async ping(): Promise<void> {
    await this.#on((session) => session.query('SELECT 1')).catch((error: unknown) => {
      throw mysqlFault(error);
    });
  }

  async #attempt<T>(session: MysqlSession, work: (tx: Transaction) => Promise<T>) {
    const tx = new MysqlTransaction(session);
    await session.query('START TRANSACTION');
    try {
      const result = await work(tx);
      tx.assertSound();
      tx.end();
      await commit(session);
      return { result, after: tx.after };
    } catch (error) {
      tx.end();
      // The first fault of a statement counts, also when `work` turned it into something else.
      const cause = tx.fault ?? error;
      if (!isLost(cause)) await rollback(session);
      throw cause;
    }
  }

  /** Lends a connection; one that is of no use any more does not go back. */
  async #on<T>(run: (session: MysqlSession) => Promise<T>): Promise<T> {
    const session = await this.#pool.acquire();
    let result: T;
    try {
      result = await run(session);
    } catch (error) {
      if (isLost(error) || isLost((error as Error)?.cause)) await this.#pool.discard(session);
      else this.#pool.release(session);
      throw error;
    }
    this.#pool.release(session);
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

async function commit(session: MysqlSession): Promise<void> {
  try {
    await session.query('COMMIT');
  } catch (error) {
    // Only these say for sure that nothing was committed.
    if (isRetryable(error)) throw error;
    session.raw.destroy();
    throw commitUnknown(error);
  }
}

/** A connection that cannot roll back is closed, which does. */
async function rollback(session: MysqlSession): Promise<void> {
  await session.query('ROLLBACK').catch(() => session.raw.destroy());
}
