import { isServiceError, type LockedRows, type Param, type Transaction } from '../../../kernel/contracts/index.ts';
import { Locks } from '../locks.ts';
import { mysqlDialect } from '../dialect.ts';
import { OngoingTransaction } from '../ongoing-transaction.ts';
import { checkParams } from '../params.ts';
import { isLost, isRetryable, mysqlFault } from './faults.ts';
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
    return this.#do(params, () => this.#session.read<R>(statement, params));
  }

  async write(statement: string, params: readonly Param[] = NONE): Promise<number> {
    return this.#do(params, () => this.#session.write(statement, params));
  }

  lock<R>(rows: LockedRows): Promise<R[]> {
    return this.#locks.lock<R>(this, rows, this.#session.lockingWords(rows.skip === true));
  }

  settled(table: string, keys: readonly (readonly Param[])[]): void {
    this.#locks.settled(table, keys);
  }

  /** Called at the end of the work, before the commit. */
  async writeLocked(): Promise<void> {
    await this.#locks.write(this);
  }

  async #do<T>(params: readonly Param[], run: () => Promise<T>): Promise<T> {
    checkParams(params);
    this.assertUsable();
    try {
      return await run();
    } catch (error) {
      // After a deadlock the server has rolled back: a further statement would commit by itself.
      if (isRetryable(error) || isLost(error) || endsTransaction(error)) this.fault = error;
      throw mysqlFault(error);
    }
  }
}

const endsTransaction = (error: unknown): boolean =>
  error instanceof PrepareFirst || isServiceError(error, 'commit_unknown');
