import type { Param, Transaction } from '../../../kernel/contracts/index.ts';
import { mysqlDialect } from '../dialect.ts';
import { OngoingTransaction } from '../ongoing-transaction.ts';
import { checkParams } from '../params.ts';
import { isLost, isRetryable, mysqlFault } from './faults.ts';
import type { MysqlSession } from './session.ts';

const NONE: readonly Param[] = [];

export class MysqlTransaction extends OngoingTransaction implements Transaction {
  readonly sql = mysqlDialect;
  readonly #session: MysqlSession;

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

  async #do<T>(params: readonly Param[], run: () => Promise<T>): Promise<T> {
    checkParams(params);
    this.assertUsable();
    try {
      return await run();
    } catch (error) {
      // After a deadlock the server has rolled back: a further statement would commit by itself.
      if (isRetryable(error) || isLost(error)) this.fault = error;
      throw mysqlFault(error);
    }
  }
}
