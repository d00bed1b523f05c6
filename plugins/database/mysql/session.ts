import type { Clock, Param } from '../../../kernel/contracts/index.ts';
import { DatabaseErrors } from '../errors.ts';
import { isTooManyPrepared } from './faults.ts';
import { PreparedStatements } from './prepared.ts';

/** The part of a mysql2 connection that this uses. */
export interface RawConnection {
  execute(options: Statement & { values: readonly unknown[] }, answer: Answered): unknown;
  query(options: Statement & { values?: readonly unknown[] }, answer: Answered): unknown;
  prepare(options: Statement, answer: (error: Error | null) => void): unknown;
  unprepare(sql: string): unknown;
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
/** In the status flags of an OK packet. */
const IN_TRANSACTION = 1;
/** As text a Buffer takes twice its size, and a server takes packets of 16 MiB. */
const TEXT_BYTES = 1024 * 1024;

/** What is known of a connection for as long as it lives. */
interface Known {
  prepared: PreparedStatements;
  /** The server certifies transactions (Galera) and can end one without an error to the next statement. */
  certifies: boolean;
  /** TiDB reads SKIP LOCKED and then locks nothing at all. */
  skips: boolean;
  /** It keeps no more prepared statements. */
  full: boolean;
}

const connections = new WeakMap<RawConnection, Known>();

/**
 * A statement with much data would have to be prepared within a transaction. The transaction is rolled back, the
 * statement is prepared, and the transaction runs again.
 */
export class PrepareFirst extends Error {
  readonly sql: string;

  constructor(sql: string) {
    super('the statement must be prepared before the transaction');
    this.sql = sql;
  }
}

/** A connection while it is lent out. */
export class MysqlSession {
  readonly raw: RawConnection;
  readonly #clock: Clock;
  readonly #known: Known;
  /** Statements of this transaction that were sent as text, to be prepared after it. */
  readonly #unprepared = new Set<string>();
  /** Undefined outside of transactions; 'unread' when the last statement told nothing about it. */
  #transaction: 'stands' | 'unread' | undefined;

  constructor(raw: RawConnection, clock: Clock) {
    this.raw = raw;
    this.#clock = clock;
    const known = connections.get(raw) ?? {
      prepared: new PreparedStatements(),
      certifies: false,
      skips: true,
      full: false,
    };
    connections.set(raw, known);
    this.#known = known;
  }

  /** Waits until this node has applied what is committed by now. False where there are no other nodes. */
  async catchUp(): Promise<boolean> {
    if (!this.#known.certifies) return false;
    await this.query('SET SESSION wsrep_sync_wait = 1');
    await this.query('SELECT 1');
    await this.query('SET SESSION wsrep_sync_wait = DEFAULT');
    return true;
  }

  /** To be called once for a new connection: does the server certify? Those without the variable do not. */
  async learn(): Promise<boolean> {
    const [version, wsrep] = await Promise.all([
      this.query('SELECT VERSION() AS version') as Promise<{ version: string }[]>,
      this.query("SHOW VARIABLES LIKE 'wsrep_on'") as Promise<{ Value?: string }[]>,
    ]);
    this.#known.skips = !version[0]?.version.includes('TiDB');
    this.#known.certifies = wsrep[0]?.Value === 'ON';
    // The pool may have lost another node, whose commits were seen here.
    return this.catchUp();
  }

  /** How a read says that it locks; where a server cannot pass over locked rows, it waits for them. */
  lockingWords(skip: boolean): string {
    return skip && this.#known.skips ? 'FOR UPDATE SKIP LOCKED' : 'FOR UPDATE';
  }

  /** By the text protocol: SET and other statements that a server may refuse to prepare. */
  async query(sql: string): Promise<unknown> {
    return (await this.#send((answer) => this.raw.query({ sql, dateStrings: true }, answer))).result;
  }

  async begin(): Promise<void> {
    // TiDB may be set to optimistic transactions, whose locks are none; other servers see a comment.
    await this.query('BEGIN /*T! PESSIMISTIC */');
    this.#transaction = 'stands';
  }

  /** Throws when the server has ended the transaction, with nothing committed by this. */
  async assertStands(): Promise<void> {
    if (this.#transaction !== 'unread' || !this.#known.certifies) return;
    const lost = { errno: 1213, code: 'ER_LOCK_DEADLOCK' };
    if (!stands(await this.query('DO 0'))) throw Object.assign(new Error('the server has ended the transaction'), lost);
  }

  /** No statement follows in the transaction. */
  end(): void {
    this.#transaction = undefined;
  }

  /** Prepares what the last transaction had to send as text. */
  async prepareForNext(): Promise<void> {
    for (const sql of this.#unprepared) {
      this.#unprepared.delete(sql);
      await this.prepare(sql);
    }
  }

  /** Outside of transactions only. Does nothing when the server keeps no more prepared statements. */
  async prepare(sql: string): Promise<void> {
    try {
      await this.#send((answer) =>
        this.#known.prepared.prepare(this.raw, sql).then(
          () => answer(null, undefined, undefined),
          (error: Error) => answer(error, undefined, undefined),
        ),
      );
    } catch (error) {
      if (!isTooManyPrepared(error)) throw error;
      this.#known.full = true;
    }
  }

  /** Throws a RangeError on integers beyond 2^53. */
  async read<R>(sql: string, params: readonly Param[]): Promise<R[]> {
    const { result, columns } = await this.#run(sql, params);
    if (!Array.isArray(result)) throw new TypeError('the statement returns no rows; use `write`');
    if (this.#transaction) this.#transaction = 'unread';
    refuseInexact(result, columns as Column[]);
    return result as R[];
  }

  async write(sql: string, params: readonly Param[]): Promise<number> {
    const { result } = await this.#run(sql, params);
    const rows = (result as { affectedRows?: number }).affectedRows;
    if (rows === undefined) throw new TypeError('the statement returns rows; use `read`');
    if (!this.#transaction) return rows;
    // This one has committed by itself, so that nothing can be said but that it must be looked up.
    if (!stands(result))
      throw DatabaseErrors.commitUnknown('the server ended the transaction before its last statement');
    this.#transaction = 'stands';
    return rows;
  }

  /**
   * Prepared once for each connection; afterwards only parameters are sent. Never prepared within a transaction: there
   * a Galera node that has just aborted it swallows the error, and what follows would commit by itself. Also sent as
   * text when the server keeps no more prepared statements.
   */
  async #run(sql: string, values: readonly Param[]) {
    const { prepared } = this.#known;
    if (this.#transaction && !prepared.has(sql)) {
      if (bytesOf(values) > TEXT_BYTES && !this.#known.full) throw new PrepareFirst(sql);
      this.#unprepared.add(sql);
      return this.#send((answer) => this.raw.query({ sql, values, dateStrings: true }, answer));
    }
    try {
      const answered = await this.#send((answer) => this.raw.execute({ sql, values, dateStrings: true }, answer));
      prepared.used(this.raw, sql);
      return answered;
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

const stands = (result: unknown): boolean =>
  (((result as { serverStatus?: number }).serverStatus ?? 0) & IN_TRANSACTION) !== 0;

const bytesOf = (values: readonly Param[]): number =>
  values.reduce<number>((sum, value) => sum + (value === null || typeof value === 'number' ? 0 : value.length), 0);
