import type { Param, Transaction } from '../../contracts/index.ts';
import { mysqlDialect } from '../dialect.ts';
import { checkParams } from '../params.ts';
import { isLost, isRetryable, mysqlFault } from './faults.ts';
import type { MysqlSession } from './session.ts';

const NONE: readonly Param[] = [];

export class MysqlTransaction implements Transaction {
  readonly sql = mysqlDialect;
  readonly after: (() => void)[] = [];
  readonly #session: MysqlSession;
  #fault: unknown;
  #over = false;

  constructor(session: MysqlSession) {
    this.#session = session;
  }

  /** What took the whole transaction with it: a deadlock, a lock wait, a lost connection. */
  get fault(): unknown {
    return this.#fault;
  }

  async read<R = Record<string, unknown>>(statement: string, params: readonly Param[] = NONE): Promise<R[]> {
    return this.#do(params, () => this.#session.read<R>(statement, params));
  }

  async write(statement: string, params: readonly Param[] = NONE): Promise<number> {
    return this.#do(params, () => this.#session.write(statement, params));
  }

  afterCommit(run: () => void): void {
    this.#assertOpen();
    this.after.push(run);
  }

  /** Throws when there is nothing left to commit. */
  assertSound(): void {
    if (this.#fault) throw this.#fault;
  }

  end(): void {
    this.#over = true;
  }

  async #do<T>(params: readonly Param[], run: () => Promise<T>): Promise<T> {
    checkParams(params);
    this.#assertOpen();
    this.assertSound();
    try {
      return await run();
    } catch (error) {
      // After a deadlock the server has rolled back: a further statement would commit by itself.
      if (isRetryable(error) || isLost(error)) this.#fault = error;
      throw mysqlFault(error);
    }
  }

  #assertOpen(): void {
    if (this.#over) throw new Error('this transaction is over; await every statement before its work returns');
  }
}
