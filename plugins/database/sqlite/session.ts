import type { SQLInputValue } from 'node:sqlite';
import type { Changes, SqliteParams } from './connection.ts';
import type { SqliteEngine } from './engine.ts';
import { resultCode } from './faults.ts';
import type { Release } from './lock.ts';

type Answer = (this: Statement, error: Error | null, rows?: Record<string, unknown>[]) => void;

const NAMES: Record<number, string> = {
  5: 'SQLITE_BUSY',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  19: 'SQLITE_CONSTRAINT',
};

/** Sequelize checks the name of this class to tell a write result from rows. */
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
 * A connection with the interface of the module `sqlite3`. Outside of a transaction each write takes the writer and
 * reads run beside it. From BEGIN to COMMIT or ROLLBACK the session holds the writer.
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

  /** The module accepts the callback in place of the parameters too; Sequelize uses that for PRAGMA. */
  all(sql: string, given: unknown, last?: Answer): this {
    const [params, answer] = typeof given === 'function' ? [undefined, given as Answer] : [given, last];
    return this.#answer(answer, async () => {
      const word = /^\s*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? '';
      if (word === 'BEGIN' || word === 'COMMIT' || word === 'ROLLBACK') return this.#control(word, sql);
      const values = bound(params);
      const reads = word === 'SELECT' || word === 'PRAGMA' || word === 'EXPLAIN';
      if (reads && !this.#release) return { rows: await this.#engine.read(sql, values), statement: NOTHING };
      const rows = await this.#write(() => this.#engine.writer.all(sql, values));
      if (!reads) this.#engine.forgetStatements();
      return { rows, statement: NOTHING };
    });
  }

  run(sql: string, given?: unknown, last?: Answer): this {
    const [params, answer] = typeof given === 'function' ? [undefined, given as Answer] : [given, last];
    return this.#answer(answer, async () => {
      const changes = await this.#write(() => this.#engine.writer.run(sql, bound(params)));
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

  async #control(word: 'BEGIN' | 'COMMIT' | 'ROLLBACK', sql: string) {
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
    const patiently = () => engine.patiently(() => engine.work(run));
    return this.#release ? patiently() : engine.alone(patiently);
  }

  #answer(
    answer: Answer | undefined,
    run: () => Promise<{ rows: Record<string, unknown>[]; statement: Statement }>,
  ): this {
    run().then(
      ({ rows, statement }) => answer?.call(statement, null, rows),
      (error: unknown) => answer?.call(NOTHING, named(error)),
    );
    return this;
  }
}

/** The error with the code by which Sequelize recognises it. */
function named(error: unknown): Error {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = resultCode(cause);
  if (code === undefined) return error as Error;
  return Object.assign(new Error((cause as Error).message, { cause }), { code: NAMES[code & 0xff] ?? 'SQLITE_ERROR' });
}

function bound(params: unknown): SqliteParams {
  if (Array.isArray(params)) return params.map(value);
  if (typeof params !== 'object' || params === null) return [];
  return Object.fromEntries(Object.entries(params).map(([name, given]) => [name, value(given)]));
}

function value(given: unknown): SQLInputValue {
  if (given === undefined) return null;
  if (typeof given === 'boolean') return given ? 1 : 0;
  return given as SQLInputValue;
}
