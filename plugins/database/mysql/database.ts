import type { Sequelize } from 'sequelize';
import {
  type Database,
  isServiceError,
  type Param,
  type ServiceError,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import { runAfterCommit } from '../after-commit.ts';
import type { DatabaseDeps } from '../deps.ts';
import { mysqlDialect } from '../dialect.ts';
import { DatabaseErrors } from '../errors.ts';
import { doingOutside } from '../outside.ts';
import { checkParams } from '../params.ts';
import { pause } from '../retry.ts';
import { WriteState } from '../write-state.ts';
import { isLost, isRetryable, isTimeout, mysqlFault } from './faults.ts';
import type { MysqlPool } from './pool.ts';
import type { ServerClock } from './server-clock.ts';
import { type MysqlSession, PrepareFirst } from './session.ts';
import { MysqlTransaction } from './transaction.ts';

interface Done<T> {
  result: T;
  after: readonly (() => void)[];
}

type Work<T> = (tx: Transaction) => Promise<T>;

const NONE: readonly Param[] = [];
/**
 * How long a transaction that loses conflicts is repeated: below the time that callers wait for an answer. Where many
 * servers write to many nodes, losing a few times is ordinary and no reason to tell the caller.
 */
const PATIENCE_MS = 25_000;
/** Attempts after dead connections, before anything was committed on them: a pool may hold some after a restart. */
const LOST_ATTEMPTS = 3;

/** `Database` on a server of the MySQL family. */
export class MysqlDatabase implements Database {
  readonly sql = mysqlDialect;
  readonly sequelize: Sequelize;
  readonly writes = new WriteState();
  readonly #pool: MysqlPool;
  readonly #time: ServerClock;
  readonly #deps: DatabaseDeps;
  #catching: Promise<boolean> | undefined;
  #next: Promise<boolean> | undefined;

  constructor(pool: MysqlPool, time: ServerClock, deps: DatabaseDeps) {
    this.sequelize = pool.sequelize;
    this.#pool = pool;
    this.#time = time;
    this.#deps = deps;
  }

  async read<R = Record<string, unknown>>(statement: string, params: readonly Param[] = NONE): Promise<R[]> {
    checkParams(params);
    return this.#persist(() => this.#on((session) => session.read<R>(statement, params)));
  }

  /** A single write commits by itself: when the connection breaks during it, the result is unknown. */
  async write(statement: string, params: readonly Param[] = NONE): Promise<number> {
    checkParams(params);
    return this.writes.watch(() =>
      this.#persist(() =>
        this.#on((session) =>
          session.write(statement, params).catch((error: unknown) => {
            throw isLost(error) ? commitUnknown(error) : error;
          }),
        ),
      ),
    );
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { result, after } = await doingOutside(() =>
      this.writes.watch(() => this.#persist(() => this.#on((session) => this.#attempt(session, work)))),
    );
    runAfterCommit(after, this.#deps.log);
    return result;
  }

  /** A wait that has begun may be too early for the next caller; all who come meanwhile share one. */
  async catchUp(): Promise<boolean> {
    if (!this.certifies()) return false;
    if (this.#next) return this.#next;
    const run = () => {
      this.#next = undefined;
      this.#catching = this.#persist(() => this.#on((session) => session.catchUp())).finally(() => {
        this.#catching = undefined;
      });
      return this.#catching;
    };
    if (!this.#catching) return run();
    this.#next = this.#catching.then(run, run);
    return this.#next;
  }

  now(): number {
    return this.#time.now();
  }

  certifies(): boolean {
    return this.#pool.certifies;
  }

  async ping(): Promise<void> {
    await this.#on((session) => session.query('SELECT 1')).catch((error: unknown) => {
      throw mysqlFault(error);
    });
  }

  retired(): ServiceError | undefined {
    return this.writes.retired;
  }

  async #attempt<T>(session: MysqlSession, work: Work<T>, current = false): Promise<Done<T>> {
    const tx = new MysqlTransaction(session);
    await session.begin();
    try {
      const result = await work(tx);
      tx.assertSound();
      await tx.writeLocked();
      tx.end();
      await session.assertStands();
      await commit(session);
      return { result, after: tx.after };
    } catch (error) {
      tx.end();
      session.end();
      // The first fault of a statement counts, even if `work` turned it into another error.
      const cause = tx.fault ?? error;
      if (!isLost(cause)) await rollback(session);
      if (cause instanceof PrepareFirst) await session.prepare(cause.sql);
      else if (!current && isRefusal(cause) && (await session.catchUp())) current = true;
      else throw cause;
    }
    return this.#attempt(session, work, current);
  }

  /** Lends a connection. A broken one is not returned to the pool. */
  async #on<T>(run: (session: MysqlSession) => Promise<T>): Promise<T> {
    const session = await this.#pool.acquire();
    let result: T;
    try {
      result = await run(session);
    } catch (error) {
      if (isLost(error) || isLost((error as Error)?.cause)) await this.#pool.discard(session);
      else await this.#giveBack(session);
      throw error;
    }
    await this.#giveBack(session);
    return result;
  }

  /** What was committed stays committed when the connection breaks only now. */
  async #giveBack(session: MysqlSession): Promise<void> {
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

  /** Repeats transactions that lost a conflict, and those that met a dead connection before they could commit. */
  async #persist<T>(run: () => Promise<T>): Promise<T> {
    const until = this.#deps.clock.monotonic() + PATIENCE_MS;
    let lost = 0;
    for (let attempt = 1; ; attempt++) {
      try {
        return await run();
      } catch (error) {
        const again = isRetryable(error)
          ? this.#deps.clock.monotonic() < until
          : isLost(error) && !isTimeout(error) && ++lost < LOST_ATTEMPTS;
        if (!again) throw mysqlFault(error);
      }
      await pause(attempt, this.#deps);
    }
  }
}

/** What the caller is told as the final answer. */
const isRefusal = (error: unknown): boolean => isServiceError(error) && error.status < 500;

const commitUnknown = (cause: unknown) => DatabaseErrors.commitUnknown((cause as Error).message, { cause });

async function commit(session: MysqlSession): Promise<void> {
  session.end();
  try {
    await session.query('COMMIT');
  } catch (error) {
    // Only these faults prove that nothing was committed.
    if (isRetryable(error)) throw error;
    session.raw.destroy();
    throw commitUnknown(error);
  }
}

/** Closing the connection rolls back when ROLLBACK itself fails. */
async function rollback(session: MysqlSession): Promise<void> {
  await session.query('ROLLBACK').catch(() => session.raw.destroy());
}
