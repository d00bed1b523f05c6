import type { Sequelize } from 'sequelize';
import type { Database, LockedRows, Param, Transaction } from '../../../kernel/contracts/index.ts';
import { runAfterCommit } from '../after-commit.ts';
import type { DatabaseDeps } from '../deps.ts';
import { sqliteDialect } from '../dialect.ts';
import { DatabaseErrors } from '../errors.ts';
import { lockingRead } from '../locks.ts';
import { OngoingTransaction } from '../ongoing-transaction.ts';
import { doingOutside } from '../outside.ts';
import { checkParams } from '../params.ts';
import type { SqliteEngine } from './engine.ts';
import { isUncertain, sqliteFault } from './faults.ts';
import { sequelizeOver } from './sequelize.ts';

const NONE: readonly Param[] = [];

/** `Database` on one SQLite file or on memory. */
export class SqliteDatabase implements Database {
  readonly sql = sqliteDialect;
  readonly sequelize: Sequelize;
  readonly #engine: SqliteEngine;
  readonly #deps: DatabaseDeps;

  constructor(engine: SqliteEngine, deps: DatabaseDeps) {
    this.#engine = engine;
    this.#deps = deps;
    this.sequelize = sequelizeOver(engine);
  }

  async read<R = Record<string, unknown>>(statement: string, params: readonly Param[] = NONE): Promise<R[]> {
    checkParams(params);
    try {
      return (await this.#engine.read(statement, params)) as R[];
    } catch (error) {
      throw sqliteFault(error);
    }
  }

  async write(statement: string, params: readonly Param[] = NONE): Promise<number> {
    checkParams(params);
    const engine = this.#engine;
    try {
      return await engine.alone(() =>
        engine.patiently(() => engine.work(() => engine.writer.run(statement, params).changes)),
      );
    } catch (error) {
      throw uncertain(error) ?? sqliteFault(error);
    }
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return doingOutside(() => this.#transaction(work));
  }

  async #transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const tx = new SqliteTransaction(this.#engine);
    const release = await this.#engine.acquire();
    let result: T;
    try {
      result = await this.#run(tx, work);
    } finally {
      tx.end();
      release();
    }
    runAfterCommit(tx.after, this.#deps.log);
    return result;
  }

  async catchUp(): Promise<boolean> {
    return false;
  }

  now(): number {
    return this.#deps.clock.now();
  }

  certifies(): boolean {
    return false;
  }

  async ping(): Promise<void> {
    await this.read('SELECT 1');
  }

  async #run<T>(tx: SqliteTransaction, work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      await this.#engine.begin();
      const result = await work(tx);
      tx.assertSound();
      await this.#commit();
      return result;
    } catch (error) {
      this.#engine.rollback();
      throw sqliteFault(error);
    }
  }

  async #commit(): Promise<void> {
    try {
      await this.#engine.patiently(() => this.#engine.work(() => this.#engine.writer.exec('COMMIT')));
    } catch (error) {
      throw uncertain(error) ?? error;
    }
  }
}

function uncertain(error: unknown): unknown {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return isUncertain(cause) ? DatabaseErrors.commitUnknown((cause as Error).message, { cause }) : undefined;
}

class SqliteTransaction extends OngoingTransaction implements Transaction {
  readonly sql = sqliteDialect;
  readonly #engine: SqliteEngine;

  constructor(engine: SqliteEngine) {
    super();
    this.#engine = engine;
  }

  async read<R = Record<string, unknown>>(statement: string, params: readonly Param[] = NONE): Promise<R[]> {
    return (await this.#do(params, () => this.#engine.writer.all(statement, params))) as R[];
  }

  async write(statement: string, params: readonly Param[] = NONE): Promise<number> {
    return this.#do(params, () => this.#engine.writer.run(statement, params).changes);
  }

  async lock<R>(rows: LockedRows): Promise<R[]> {
    return this.read<R>(lockingRead(rows, ''), rows.params);
  }

  /** There is one writer, so no lock has to be seen by another. */
  settled(): void {}

  async #do<T>(params: readonly Param[], run: () => T): Promise<T> {
    checkParams(params);
    return this.#engine.work(() => {
      this.assertUsable();
      try {
        return run();
      } catch (error) {
        if (!this.#engine.writer.inTransaction) this.fault = sqliteFault(error);
        throw sqliteFault(error);
      }
    });
  }
}
