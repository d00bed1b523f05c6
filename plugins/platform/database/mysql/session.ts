import type { Clock, Param } from '../../../../kernel/contracts/index.ts';
import { DatabaseErrors } from '../errors.ts';
import { isTooManyPrepared } from './errors.ts';
import { PreparedStatements } from './prepared.ts';

/** The methods of a mysql2 connection that this uses. */
export interface RawConnection {
  execute(options: Statement & { values: readonly unknown[] }, answer: QueryCallback): unknown;
  query(options: Statement & { values?: readonly unknown[] }, answer: QueryCallback): unknown;
  prepare(options: Statement, answer: (error: Error | null) => void): unknown;
  unprepare(sql: string): unknown;
  readonly config: { typeCast?: unknown };
  destroy(): void;
}

interface Statement {
  sql: string;
  /** This also keeps the driver from sharing a compiled row parser with Sequelize, which casts values. */
  dateStrings: true;
}

interface Column {
  name: string;
  columnType: number;
}

type QueryCallback = (error: Error | null, result: unknown, columns: unknown) => void;

/** A statement that takes longer counts as lost. Schema changes do not run through this class. */
const STATEMENT_TIMEOUT_MS = 30_000;
const LONGLONG = 8;
/** The bit of the status flags of an OK packet. */
const IN_TRANSACTION = 1;
/** In a text statement a Buffer takes twice its size, and servers accept packets of 16 MiB. */
const TEXT_BYTES = 1024 * 1024;

/** The state of a connection for as long as it lives. */
interface ConnectionState {
  prepared: PreparedStatements;
  /** The server certifies transactions (Galera) and can end one without an error to the next statement. */
  uses_commit_certification: boolean;
  /** The server supports SKIP LOCKED. TiDB accepts it and then locks nothing at all. */
  supports_skip_locked: boolean;
  /** The server has no room for more prepared statements. */
  prepared_limit_reached: boolean;
}

const connections = new WeakMap<RawConnection, ConnectionState>();

/**
 * Thrown when a statement with much data would have to be prepared within a transaction. The transaction is rolled back, the
 * statement is prepared, and the transaction runs again.
 */
export class PrepareFirst extends Error {
  readonly sql: string;

  constructor(sql: string) {
    super('the statement must be prepared before the transaction');
    this.sql = sql;
  }
}

/** A connection while the pool has lent it out. */
export class MysqlSession {
  readonly raw: RawConnection;
  readonly #clock: Clock;
  readonly #state: ConnectionState;
  /** Statements that this transaction sent as text, to be prepared after it. */
  readonly #unprepared = new Set<string>();
  /** Undefined outside of transactions, and 'unread' when the last statement did not report its state. */
  #transaction: 'stands' | 'unread' | undefined;

  constructor(raw: RawConnection, clock: Clock) {
    this.raw = raw;
    this.#clock = clock;
    const state = connections.get(raw) ?? {
      prepared: new PreparedStatements(),
      uses_commit_certification: false,
      supports_skip_locked: true,
      prepared_limit_reached: false,
    };
    connections.set(raw, state);
    this.#state = state;
  }

  /** Waits until this node has applied every commit so far. Returns false when there are no other nodes. */
  async catchUp(): Promise<boolean> {
    if (!this.#state.uses_commit_certification) return false;
    await this.query('SET SESSION wsrep_sync_wait = 1');
    await this.query('SELECT 1');
    await this.query('SET SESSION wsrep_sync_wait = DEFAULT');
    return true;
  }

  /** Detects what the server can do. Call it once for a new connection. Returns whether the server certifies transactions. */
  async detectServer(): Promise<boolean> {
    const [version, wsrep] = await Promise.all([
      this.query('SELECT VERSION() AS version') as Promise<{ version: string }[]>,
      this.query("SHOW VARIABLES LIKE 'wsrep_on'") as Promise<{ Value?: string }[]>,
    ]);
    this.#state.supports_skip_locked = !version[0]?.version.includes('TiDB');
    this.#state.uses_commit_certification = wsrep[0]?.Value === 'ON';
    // The pool may have been connected to another node before, and has seen its commits.
    return this.catchUp();
  }

  /** Returns the locking clause. A server that cannot skip locked rows waits for them instead. */
  lockingClause(skip: boolean): string {
    return skip && this.#state.supports_skip_locked ? 'FOR UPDATE SKIP LOCKED' : 'FOR UPDATE';
  }

  /** Runs a statement by the text protocol: SET and others that a server may not be able to prepare. */
  async query(sql: string): Promise<unknown> {
    return (await this.#send((answer) => this.raw.query({ sql, dateStrings: true }, answer))).result;
  }

  async begin(): Promise<void> {
    // TiDB may default to optimistic transactions, which lock nothing. Other servers see a comment.
    await this.query('BEGIN /*T! PESSIMISTIC */');
    this.#transaction = 'stands';
  }

  /** Throws a retryable error when the server has ended the transaction. Commits nothing. */
  async assertTransactionOpen(): Promise<void> {
    if (this.#transaction !== 'unread' || !this.#state.uses_commit_certification) return;
    const lost = { errno: 1213, code: 'ER_LOCK_DEADLOCK' };
    if (!isInTransaction(await this.query('DO 0')))
      throw Object.assign(new Error('the server has ended the transaction'), lost);
  }

  /** Marks the end of the transaction: no statement follows in it. */
  end(): void {
    this.#transaction = undefined;
  }

  /** Prepares the statements that the last transaction had to send as text. */
  async prepareForNext(): Promise<void> {
    for (const sql of this.#unprepared) {
      this.#unprepared.delete(sql);
      await this.prepare(sql);
    }
  }

  /** Prepares a statement, outside of transactions only. Does nothing when the server has no room for more. */
  async prepare(sql: string): Promise<void> {
    try {
      await this.#send((answer) =>
        this.#state.prepared.prepare(this.raw, sql).then(
          () => answer(null, undefined, undefined),
          (error: Error) => answer(error, undefined, undefined),
        ),
      );
    } catch (error) {
      if (!isTooManyPrepared(error)) throw error;
      this.#state.prepared_limit_reached = true;
    }
  }

  /** Throws a RangeError on integers beyond 2^53. */
  async read<R>(sql: string, params: readonly Param[]): Promise<R[]> {
    const { result, columns } = await this.#run(sql, params);
    if (!Array.isArray(result)) throw new TypeError('the statement returns no rows; use `write`');
    if (this.#transaction) this.#transaction = 'unread';
    assertExact(result, columns as Column[]);
    return result as R[];
  }

  async write(sql: string, params: readonly Param[]): Promise<number> {
    const { result } = await this.#run(sql, params);
    const rows = (result as { affectedRows?: number }).affectedRows;
    if (rows === undefined) throw new TypeError('the statement returns rows; use `read`');
    if (!this.#transaction) return rows;
    // The transaction had ended before, so this write has committed by itself and its outcome must be looked up.
    if (!isInTransaction(result))
      throw DatabaseErrors.commitUnknown('the server ended the transaction before its last statement');
    this.#transaction = 'stands';
    return rows;
  }

  /**
   * Runs a prepared statement, which is prepared once for each connection. Within a transaction nothing is prepared, because a
   * Galera node that has just aborted the transaction swallows the error, and later statements would commit by themselves.
   * Statements are also sent as text when the server has no room for more prepared ones.
   */
  async #run(sql: string, values: readonly Param[]) {
    const { prepared } = this.#state;
    if (this.#transaction && !prepared.has(sql)) {
      if (bytesOf(values) > TEXT_BYTES && !this.#state.prepared_limit_reached) throw new PrepareFirst(sql);
      this.#unprepared.add(sql);
      return this.#send((answer) => this.raw.query({ sql, values, dateStrings: true }, answer));
    }
    try {
      const answered = await this.#send((answer) => this.raw.execute({ sql, values, dateStrings: true }, answer));
      prepared.markUsed(this.raw, sql);
      return answered;
    } catch (error) {
      if (!isTooManyPrepared(error)) throw error;
      return this.#send((answer) => this.raw.query({ sql, values, dateStrings: true }, answer));
    }
  }

  /** The driver's own timeout outlives a statement whose connection broke, so it is not used. */
  #send(send: (answer: QueryCallback) => void): Promise<{ result: unknown; columns: unknown }> {
    return new Promise((resolve, reject) => {
      const expire = () => {
        this.raw.destroy();
        const text = `the server did not answer within ${STATEMENT_TIMEOUT_MS / 1000} s`;
        reject(Object.assign(new Error(text), { code: 'PROTOCOL_SEQUENCE_TIMEOUT' }));
      };
      const cancel = this.#clock.after(STATEMENT_TIMEOUT_MS, expire, { unref: true });
      send((error, result, columns) => {
        cancel();
        if (error) reject(error);
        else resolve({ result, columns });
      });
    });
  }
}

/** The driver returns integers beyond 2^53 as strings. SQLite throws on them, and so does this. */
function assertExact(rows: Record<string, unknown>[], columns: readonly Column[]): void {
  for (const { name, columnType } of columns) {
    if (columnType !== LONGLONG) continue;
    for (const row of rows)
      if (typeof row[name] === 'string') throw new RangeError(`the number in ${name} is too large to be read exactly`);
  }
}

const isInTransaction = (result: unknown): boolean =>
  (((result as { serverStatus?: number }).serverStatus ?? 0) & IN_TRANSACTION) !== 0;

const bytesOf = (values: readonly Param[]): number =>
  values.reduce<number>((sum, value) => sum + (value === null || typeof value === 'number' ? 0 : value.length), 0);
