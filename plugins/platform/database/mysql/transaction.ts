import { isServiceError, type LockedRows, type Param, type Transaction } from '../../../../kernel/contracts/index.ts';
import { Locks } from '../locks.ts';
import { mysqlDialect } from '../dialect.ts';
import { OngoingTransaction } from '../ongoing-transaction.ts';
import { checkParams } from '../params.ts';
import { isLost, isRetryable, toServiceError } from './errors.ts';
import { type MysqlSession, PrepareFirst } from './session.ts';

const NONE: readonly Param[] = [];

export class MysqlTransaction extends OngoingTransaction implements Transaction {
  readonly sql = mysqlDialect;
  readonly #session: MysqlSession;
  readonly #locks = new Locks();

  constructor(session: MysqlSession) {
    super();
    this.#session = session;
  }

  async read<R = Record<string, unknown>>(statement: string, params: readonly Param[] = NONE): Promise<R[]> {
    return this.#runStatement(params, () => this.#session.read<R>(statement, params));
  }

  async write(statement: string, params: readonly Param[] = NONE): Promise<number> {
    return this.#runStatement(params, () => this.#session.write(statement, params));
  }

  lock<R>(rows: LockedRows): Promise<R[]> {
    return this.#locks.lock<R>(this, rows, this.#session.lockingClause(rows.skip_locked === true));
  }

  skipConflictGuard(table: string, keys: readonly (readonly Param[])[]): void {
    this.#locks.skipConflictGuard(table, keys);
  }

  /** Other servers may have written to the tables, so nothing is cached. */
  async cached<T>(_key: string, _tables: readonly string[], load: () => T | Promise<T>): Promise<T> {
    return load();
  }

  setCached(): void {}

  /** Writes the locked rows. Called after the work and before the commit. */
  async writeLocked(): Promise<void> {
    await this.#locks.write(this);
  }

  async #runStatement<T>(params: readonly Param[], run: () => Promise<T>): Promise<T> {
    checkParams(params);
    this.assertUsable();
    try {
      return await run();
    } catch (error) {
      // After a deadlock the server has rolled back, so another statement would commit by itself.
      if (isRetryable(error) || isLost(error) || endsTransaction(error)) this.failure = error;
      throw toServiceError(error);
    }
  }
}

const endsTransaction = (error: unknown): boolean =>
  error instanceof PrepareFirst || isServiceError(error, 'commit_unknown');
