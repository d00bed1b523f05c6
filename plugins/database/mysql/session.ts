import type { Clock, Param } from '../../../kernel/contracts/index.ts';
import { isTooManyPrepared } from './faults.ts';

/** The part of a mysql2 connection that this uses. */
export interface RawConnection {
  execute(options: Statement & { values: readonly unknown[] }, answer: Answered): unknown;
  query(options: Statement & { values?: readonly unknown[] }, answer: Answered): unknown;
  readonly config: { typeCast?: unknown };
  destroy(): void;
}

interface Statement {
  sql: string;
  /** Also keeps the driver from sharing a compiled row parser with Sequelize, whose rows are cast. */
  dateStrings: true;
}

interface Column {
  name: string;
  columnType: number;
}

type Answered = (error: Error | null, result: unknown, columns: unknown) => void;

/** A statement that takes longer counts as lost. Schema changes do not run through here. */
const STATEMENT_MS = 30_000;
const LONGLONG = 8;

/** A connection while it is lent out. */
export class MysqlSession {
  readonly raw: RawConnection;
  readonly #clock: Clock;

  constructor(raw: RawConnection, clock: Clock) {
    this.raw = raw;
    this.#clock = clock;
  }

  /** By the text protocol: BEGIN, COMMIT, SET and other statements that a server may refuse to prepare. */
  async query(sql: string): Promise<unknown> {
    return (await this.#send((answer) => this.raw.query({ sql, dateStrings: true }, answer))).result;
  }

  /** Throws a RangeError on integers beyond 2^53. */
  async read<R>(sql: string, params: readonly Param[]): Promise<R[]> {
    const { result, columns } = await this.#run(sql, params);
    if (!Array.isArray(result)) throw new TypeError('the statement returns no rows; use `write`');
    refuseInexact(result, columns as Column[]);
    return result as R[];
  }

  async write(sql: string, params: readonly Param[]): Promise<number> {
    const { result } = await this.#run(sql, params);
    const rows = (result as { affectedRows?: number }).affectedRows;
    if (rows === undefined) throw new TypeError('the statement returns rows; use `read`');
    return rows;
  }

  /**
   * Prepared once for each connection; afterwards only parameters are sent. Sent as text when the server keeps no more
   * prepared statements.
   */
  async #run(sql: string, values: readonly Param[]) {
    try {
      return await this.#send((answer) => this.raw.execute({ sql, values, dateStrings: true }, answer));
    } catch (error) {
      if (!isTooManyPrepared(error)) throw error;
      return this.#send((answer) => this.raw.query({ sql, values, dateStrings: true }, answer));
    }
  }

  /** The driver's own timeout outlives a statement whose connection broke, so it is not used. */
  #send(send: (answer: Answered) => void): Promise<{ result: unknown; columns: unknown }> {
    return new Promise((resolve, reject) => {
      const expire = () => {
        this.raw.destroy();
        const text = `the server did not answer within ${STATEMENT_MS / 1000} s`;
        reject(Object.assign(new Error(text), { code: 'PROTOCOL_SEQUENCE_TIMEOUT' }));
      };
      const cancel = this.#clock.after(STATEMENT_MS, expire, { unref: true });
      send((error, result, columns) => {
        cancel();
        if (error) reject(error);
        else resolve({ result, columns });
      });
    });
  }
}

/** The driver answers integers beyond 2^53 as strings. SQLite refuses them, and so does this. */
function refuseInexact(rows: Record<string, unknown>[], columns: readonly Column[]): void {
  for (const { name, columnType } of columns) {
    if (columnType !== LONGLONG) continue;
    for (const row of rows)
      if (typeof row[name] === 'string') throw new RangeError(`the number in ${name} is too large to be read exactly`);
  }
}
