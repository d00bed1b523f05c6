import type { Sequelize } from 'sequelize';
import {
  type Database,
  isServiceError,
  type Param,
  type ServiceError,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import { runAfterCommit } from '../after-commit.ts';
import type { DatabaseDeps } from '../deps.ts';
import { mysqlDialect } from '../dialect.ts';
import { DatabaseErrors } from '../errors.ts';
import { withOutsideWork } from '../outside.ts';
import { checkParams } from '../params.ts';
import { pause } from '../retry.ts';
import { WriteState } from '../write-state.ts';
import { isLost, isRetryable, isTimeout, toServiceError } from './errors.ts';
import type { MysqlPool } from './pool.ts';
import type { ServerClock } from './server-clock.ts';
import { type MysqlSession, PrepareFirst } from './session.ts';
import { MysqlTransaction } from './transaction.ts';

interface TransactionResult<T> {
  result: T;
  after: readonly (() => void)[];
}

type Work<T> = (tx: Transaction) => Promise<T>;

const NONE: readonly Param[] = [];
/**
 * How long a transaction that loses conflicts is retried. It is less than the time for which callers wait for an answer. When
 * many servers write to several nodes, losing a few times is ordinary and no reason to fail.
 */
const MAX_RETRY_MS = 25_000;
/** Attempts when a connection turns out dead before a commit: after a restart of the database, a pool holds dead ones. */
const LOST_ATTEMPTS = 3;

/** The `Database` on a server of the MySQL family. */
export class MysqlDatabase implements Database {
  readonly sql = mysqlDialect;
  readonly sequelize: Sequelize;
  readonly writes = new WriteState();
  readonly #pool: MysqlPool;
  readonly #time: ServerClock;
  readonly #deps: DatabaseDeps;
  #catch_up: Promise<boolean> | undefined;
  #next_catch_up: Promise<boolean> | undefined;

  constructor(pool: MysqlPool, time: ServerClock, deps: DatabaseDeps) {
    this.sequelize = pool.sequelize;
    this.#pool = pool;
    this.#time = time;
    this.#deps = deps;
  }

  async read<R = Record<string, unknown>>(statement: string, params: readonly Param[] = NONE): Promise<R[]> {
    checkParams(params);
    return this.#withRetries(() => this.#withSession((session) => session.read<R>(statement, params)));
  }

  /** A single write commits by itself, so its outcome is unknown when the connection breaks during it. */
  async write(statement: string, params: readonly Param[] = NONE): Promise<number> {
    checkParams(params);
    return this.writes.track(() =>
      this.#withRetries(() =>
        this.#withSession((session) =>
          session.write(statement, params).catch((error: unknown) => {
            throw isLost(error) ? commitUnknown(error) : error;
          }),
        ),
      ),
    );
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { result, after } = await withOutsideWork(() =>
      this.writes.track(() => this.#withRetries(() => this.#withSession((session) => this.#attempt(session, work)))),
    );
    runAfterCommit(after, this.#deps.log);
    return result;
  }

  /** A wait that has begun may be too early for the next caller. All callers that arrive meanwhile share the next one. */
  async catchUp(): Promise<boolean> {
    if (!this.usesCommitCertification()) return false;
    if (this.#next_catch_up) return this.#next_catch_up;
    const run = () => {
      this.#next_catch_up = undefined;
      this.#catch_up = this.#withRetries(() => this.#withSession((session) => session.catchUp())).finally(() => {
        this.#catch_up = undefined;
      });
      return this.#catch_up;
    };
    if (!this.#catch_up) return run();
    this.#next_catch_up = this.#catch_up.then(run, run);
    return this.#next_catch_up;
  }

  /** Other servers may have written to the tables, so nothing is cached. */
  async cached<T>(_key: string, _tables: readonly string[], load: () => T | Promise<T>): Promise<T> {
    return load();
  }

  now(): number {
    return this.#time.now();
  }

  usesCommitCertification(): boolean {
    return this.#pool.uses_commit_certification;
  }

  async ping(): Promise<void> {
    await this.#withSession((session) => session.query('SELECT 1')).catch((error: unknown) => {
      throw toServiceError(error);
    });
  }

  retired(): ServiceError | undefined {
    return this.writes.retired;
  }

  async #attempt<T>(session: MysqlSession, work: Work<T>, current = false): Promise<TransactionResult<T>> {
    const tx = new MysqlTransaction(session);
    await session.begin();
    try {
      const result = await work(tx);
      tx.assertSound();
      await tx.writeLocked();
      tx.end();
      await session.assertTransactionOpen();
      await commit(session);
      return { result, after: tx.after };
    } catch (error) {
      tx.end();
      session.end();
      // The first failure of a statement counts, even if `work` has turned it into another error.
      const cause = tx.failure ?? error;
      if (!isLost(cause)) await rollback(session);
      if (cause instanceof PrepareFirst) await session.prepare(cause.sql);
      else if (!current && isRejection(cause) && (await session.catchUp())) current = true;
      else throw cause;
    }
    return this.#attempt(session, work, current);
  }

  /** Runs `run` with a connection from the pool. A broken connection is not returned to it. */
  async #withSession<T>(run: (session: MysqlSession) => Promise<T>): Promise<T> {
    const session = await this.#pool.acquire();
    let result: T;
    try {
      result = await run(session);
    } catch (error) {
      if (isLost(error) || isLost((error as Error)?.cause)) await this.#pool.discard(session);
      else await this.#returnSession(session);
      throw error;
    }
    await this.#returnSession(session);
    return result;
  }

  /** Returns a connection to the pool. If it breaks now, what was committed stays committed. */
  async #returnSession(session: MysqlSession): Promise<void> {
    try {
      await session.prepareForNext();
    } catch (error) {
      this.#deps.log.debug(
        { reason: (error as Error).message },
        'preparing a statement failed; closing the connection',
      );
      await this.#pool.discard(session);
      return;
    }
    this.#pool.release(session);
  }

  /** Retries work that lost a conflict, and work that met a dead connection before it could commit. */
  async #withRetries<T>(run: () => Promise<T>): Promise<T> {
    const until = this.#deps.clock.monotonic() + MAX_RETRY_MS;
    let lost = 0;
    for (let attempt = 1; ; attempt++) {
      try {
        return await run();
      } catch (error) {
        const retry = isRetryable(error)
          ? this.#deps.clock.monotonic() < until
          : isLost(error) && !isTimeout(error) && ++lost < LOST_ATTEMPTS;
        if (!retry) throw toServiceError(error);
      }
      await pause(attempt, this.#deps);
    }
  }
}

/** A 4xx error is the final answer to the caller. */
const isRejection = (error: unknown): boolean => isServiceError(error) && error.status < 500;

const commitUnknown = (cause: unknown) => DatabaseErrors.commitUnknown((cause as Error).message, { cause });

async function commit(session: MysqlSession): Promise<void> {
  session.end();
  try {
    await session.query('COMMIT');
  } catch (error) {
    // Only these errors prove that nothing was committed.
    if (isRetryable(error)) throw error;
    session.raw.destroy();
    throw commitUnknown(error);
  }
}

/** Closing the connection rolls back when ROLLBACK itself fails. */
async function rollback(session: MysqlSession): Promise<void> {
  await session.query('ROLLBACK').catch(() => session.raw.destroy());
}
