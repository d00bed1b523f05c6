import { type Options, Sequelize, Transaction } from 'sequelize';
import type { SqliteEngine } from './engine.ts';
import { SqliteSession } from './session.ts';

/** The constants of the module `sqlite3` that Sequelize uses. */
const OPEN_READWRITE = 2;
const OPEN_CREATE = 4;

/**
 * Makes Sequelize use the shared engine, with the same file and the same lock. It must not open anything itself, so it gets a
 * storage name that is not a path, and a module whose connections are sessions of the engine.
 */
export function createSequelize(engine: SqliteEngine): Sequelize {
  class Database extends SqliteSession {
    constructor(_storage: string, _mode: number, opened: (error: Error | null) => void) {
      super(engine);
      queueMicrotask(() => opened(null));
    }
  }
  return new Sequelize({
    dialect: 'sqlite',
    storage: 'engine',
    dialectModule: { Database, OPEN_READWRITE, OPEN_CREATE },
    dialectOptions: { mode: OPEN_READWRITE },
    transactionType: Transaction.TYPES.IMMEDIATE,
    foreignKeys: false,
    logging: false,
  } as Options);
}
