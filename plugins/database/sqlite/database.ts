import type { Sequelize } from 'sequelize';
import type { Database, LockedRows, Param, ServiceError, Transaction } from '../../../kernel/contracts/index.ts';
import { runAfterCommit } from '../after-commit.ts';
import type { DatabaseDeps } from '../deps.ts';
import { sqliteDialect } from '../dialect.ts';
import { lockingRead } from '../locks.ts';
import { OngoingTransaction } from '../ongoing-transaction.ts';
import { doingOutside } from '../outside.ts';
import { checkParams } from '../params.ts';
import type { SqliteEngine } from './engine.ts';
import { sqliteFault } from './faults.ts';
import { sequelizeOver } from './sequelize.ts';
import { WriteState } from '../write-state.ts';
import { SharedCommits, withoutStalling } from './shared-commits.ts';

const NONE: readonly Param[] = [];

/** `Database` on one SQLite file or on memory. */
export class SqliteDatabase implements Database {
  readonly sql = sqliteDialect;
  readonly sequelize: Sequelize;
  readonly writes = new WriteState();
  readonly #engine: SqliteEngine;
  readonly #commits: SharedCommits;
  readonly #deps: DatabaseDeps;

  constructor(engine: SqliteEngine, deps: DatabaseDeps) {
    this.#engine = engine;
    this.#commits = new SharedCommits(engine, deps.clock);
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
    return this.writes.watch(() =>
      this.#commits.ride(() => engine.work(() => engine.writer.run(statement, params).changes)),
    );
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return doingOutside(() => this.#transaction(work));
  }

  async #transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const tx = new SqliteTransaction(this.#engine);
    const result = await this.writes.watch(() => this.#commits.ride((awaited) => this.#run(tx, work, awaited)));
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

  retired(): ServiceError | undefined {
    return this.writes.retired;
  }

  async #run<T>(tx: SqliteTransaction, work: (tx: Transaction) => Promise<T>, awaited: boolean): Promise<T> {
    try {
      const working = work(tx);
      const result = await (awaited ? withoutStalling(working, () => tx.statements, this.#deps.clock) : working);
      tx.assertSound();
      return result;
    } finally {
      tx.end();
    }
  }
}

class SqliteTransaction extends OngoingTransaction implements Transaction {
  readonly sql = sqliteDialect;
  /** How many it has done or tried. */
  statements = 0;
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
      this.statements += 1;
      try {
        return run();
      } catch (error) {
        if (!this.#engine.writer.inTransaction) this.fault = sqliteFault(error);
        throw sqliteFault(error);
      }
    });
  }
}
