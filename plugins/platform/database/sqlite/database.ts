import type { Sequelize } from 'sequelize';
import type { Database, LockedRows, Param, ServiceError, Transaction } from '../../../../kernel/contracts/index.ts';
import { runAfterCommit } from '../after-commit.ts';
import type { DatabaseDeps } from '../deps.ts';
import { sqliteDialect } from '../dialect.ts';
import { lockingRead } from '../locks.ts';
import { OngoingTransaction } from '../ongoing-transaction.ts';
import { withOutsideWork } from '../outside.ts';
import { checkParams } from '../params.ts';
import type { SqliteEngine } from './engine.ts';
import { toServiceError } from './errors.ts';
import { createSequelize } from './sequelize.ts';
import { WriteState } from '../write-state.ts';
import { SharedCommits, rejectWhenStalled } from './shared-commits.ts';

const NONE: readonly Param[] = [];

/** The `Database` on a SQLite file or in memory. */
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
    this.sequelize = createSequelize(engine);
  }

  /** True while transactions wait for a commit that others can share. */
  get canJoinCommit(): boolean {
    return this.#commits.canJoin;
  }

  async read<R = Record<string, unknown>>(statement: string, params: readonly Param[] = NONE): Promise<R[]> {
    checkParams(params);
    try {
      return (await this.#engine.read(statement, params)) as R[];
    } catch (error) {
      throw toServiceError(error);
    }
  }

  async cached<T>(
    key: string,
    tables: readonly string[],
    load: () => T | Promise<T>,
    bytes?: (value: T) => number,
  ): Promise<T> {
    const committed = this.#engine.committedReads();
    const entry = committed.get(key, tables);
    if (entry) return entry.value as T;
    // A commit while it is read makes the value old.
    const versions = committed.versionsOf(tables);
    const value = await load();
    committed.set(key, value, versions, bytes?.(value));
    return value;
  }

  async write(statement: string, params: readonly Param[] = NONE): Promise<number> {
    checkParams(params);
    const engine = this.#engine;
    return this.writes.track(() =>
      this.#commits.run(() => engine.runWork(() => engine.writer.run(statement, params).changes)),
    );
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return withOutsideWork(() => this.#transaction(work));
  }

  async #transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const tx = new SqliteTransaction(this.#engine);
    const result = await this.writes.track(() => this.#commits.run((awaited) => this.#run(tx, work, awaited)));
    runAfterCommit(tx.after, this.#deps.log);
    return result;
  }

  async catchUp(): Promise<boolean> {
    return false;
  }

  now(): number {
    return this.#deps.clock.now();
  }

  usesCommitCertification(): boolean {
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
      const result = await (awaited ? rejectWhenStalled(working, () => tx.statements, this.#deps.clock) : working);
      tx.assertSound();
      return result;
    } finally {
      tx.end();
    }
  }
}

class SqliteTransaction extends OngoingTransaction implements Transaction {
  readonly sql = sqliteDialect;
  /** The number of statements that it has run or tried to run. */
  statements = 0;
  readonly #engine: SqliteEngine;

  constructor(engine: SqliteEngine) {
    super();
    this.#engine = engine;
  }

  async read<R = Record<string, unknown>>(statement: string, params: readonly Param[] = NONE): Promise<R[]> {
    return (await this.#runStatement(params, () => this.#engine.writer.all(statement, params))) as R[];
  }

  async write(statement: string, params: readonly Param[] = NONE): Promise<number> {
    return this.#runStatement(params, () => this.#engine.writer.run(statement, params).changes);
  }

  async lock<R>(rows: LockedRows): Promise<R[]> {
    return this.read<R>(lockingRead(rows, ''), rows.params);
  }

  /** There is a single writer, so locked rows need no extra write. */
  skipConflictGuard(): void {}

  async cached<T>(key: string, tables: readonly string[], load: () => T | Promise<T>): Promise<T> {
    this.assertUsable();
    const { cache } = this.#engine.writer;
    const entry = cache.get(key, tables);
    if (entry) return entry.value as T;
    const value = await load();
    this.setCached(key, tables, value);
    return value;
  }

  setCached(key: string, tables: readonly string[], value: unknown): void {
    this.assertUsable();
    const { cache } = this.#engine.writer;
    cache.set(key, value, cache.versionsOf(tables));
  }

  async #runStatement<T>(params: readonly Param[], run: () => T): Promise<T> {
    checkParams(params);
    return this.#engine.runWork(() => {
      this.assertUsable();
      this.statements += 1;
      try {
        return run();
      } catch (error) {
        if (!this.#engine.writer.inTransaction) this.failure = toServiceError(error);
        throw toServiceError(error);
      }
    });
  }
}
