import type { SQLInputValue } from 'node:sqlite';
import type { Changes, SqliteParams } from './connection.ts';
import type { SqliteEngine } from './engine.ts';
import { resultCode } from './errors.ts';
import type { Release } from './lock.ts';

type Callback = (this: Statement, error: Error | null, rows?: Record<string, unknown>[]) => void;

const NAMES: Record<number, string> = {
  5: 'SQLITE_BUSY',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  19: 'SQLITE_CONSTRAINT',
};

/** Sequelize checks the name of this class to distinguish the result of a write from rows. */
class Statement implements Changes {
  readonly changes: number;
  readonly lastID: number;

  constructor({ changes, lastID }: Changes) {
    this.changes = changes;
    this.lastID = lastID;
  }
}

const NOTHING = new Statement({ changes: 0, lastID: 0 });

/**
 * A connection with the interface of the module `sqlite3`. Outside of a transaction, each write acquires the writer, and reads
 * run concurrently. From BEGIN to COMMIT or ROLLBACK, the session holds the writer.
 */
export class SqliteSession {
  /** Set by Sequelize on connections of transactions. */
  uuid: string | undefined;
  readonly filename = 'engine';
  readonly #engine: SqliteEngine;
  #release: Release | undefined;

  constructor(engine: SqliteEngine) {
    this.#engine = engine;
  }

  serialize(run: () => void): void {
    run();
  }

  /** The callback may come in place of the parameters, as Sequelize passes it for PRAGMA. */
  all(sql: string, params_or_callback: unknown, last?: Callback): this {
    const [params, callback] =
      typeof params_or_callback === 'function'
        ? [undefined, params_or_callback as Callback]
        : [params_or_callback, last];
    return this.#answer(callback, async () => {
      const word = /^\s*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? '';
      if (word === 'BEGIN' || word === 'COMMIT' || word === 'ROLLBACK') return this.#controlTransaction(word, sql);
      const values = bindParams(params);
      const reads = word === 'SELECT' || word === 'PRAGMA' || word === 'EXPLAIN';
      if (reads && !this.#release) return { rows: await this.#engine.read(sql, values), statement: NOTHING };
      const rows = await this.#write(() => this.#engine.writer.all(sql, values));
      if (!reads) this.#engine.forgetStatements();
      return { rows, statement: NOTHING };
    });
  }

  run(sql: string, params_or_callback?: unknown, last?: Callback): this {
    const [params, callback] =
      typeof params_or_callback === 'function'
        ? [undefined, params_or_callback as Callback]
        : [params_or_callback, last];
    return this.#answer(callback, async () => {
      const changes = await this.#write(() => this.#engine.writer.run(sql, bindParams(params)));
      return { rows: [], statement: new Statement(changes) };
    });
  }

  /** Rolls back what a transaction left open. */
  close(answer?: (error: Error | null) => void): void {
    try {
      if (this.#release) this.#engine.rollback();
      answer?.(null);
    } catch (error) {
      answer?.(error as Error);
    } finally {
      this.#release?.();
      this.#release = undefined;
    }
  }

  async #controlTransaction(word: 'BEGIN' | 'COMMIT' | 'ROLLBACK', sql: string) {
    const nothing = { rows: [], statement: NOTHING };
    if (word === 'BEGIN') {
      const release = await this.#engine.acquire();
      await this.#engine.begin().catch((error: unknown) => {
        release();
        throw error;
      });
      this.#release = release;
      return nothing;
    }
    if (/^\s*ROLLBACK\s+TO\b/i.test(sql)) {
      await this.#write(() => this.#engine.writer.exec(sql));
      return nothing;
    }
    if (word === 'COMMIT') await this.#write(() => this.#engine.writer.exec('COMMIT'));
    else this.#engine.rollback();
    this.#release?.();
    this.#release = undefined;
    return nothing;
  }

  #write<T>(run: () => T): Promise<T> {
    const engine = this.#engine;
    const patiently = () => engine.retryWhileBusy(() => engine.runWork(run));
    return this.#release ? patiently() : engine.withExclusiveAccess(patiently);
  }

  #answer(
    answer: Callback | undefined,
    run: () => Promise<{ rows: Record<string, unknown>[]; statement: Statement }>,
  ): this {
    run().then(
      ({ rows, statement }) => answer?.call(statement, null, rows),
      (error: unknown) => answer?.call(NOTHING, named(error)),
    );
    return this;
  }
}

/** Adds the code by which Sequelize recognises an error. */
function named(error: unknown): Error {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = resultCode(cause);
  if (code === undefined) return error as Error;
  return Object.assign(new Error((cause as Error).message, { cause }), { code: NAMES[code & 0xff] ?? 'SQLITE_ERROR' });
}

function bindParams(params: unknown): SqliteParams {
  if (Array.isArray(params)) return params.map(toSqliteValue);
  if (typeof params !== 'object' || params === null) return [];
  return Object.fromEntries(Object.entries(params).map(([name, param]) => [name, toSqliteValue(param)]));
}

function toSqliteValue(param: unknown): SQLInputValue {
  if (param === undefined) return null;
  if (typeof param === 'boolean') return param ? 1 : 0;
  return param as SQLInputValue;
}
