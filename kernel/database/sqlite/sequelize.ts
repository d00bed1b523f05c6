import { type Options, Sequelize, Transaction } from 'sequelize';
import type { SqliteEngine } from './engine.ts';
import { SqliteSession } from './session.ts';

/** What Sequelize expects of the module `sqlite3`. */
const OPEN_READWRITE = 2;
const OPEN_CREATE = 4;

/**
 * Sequelize over the engine that everything else uses: same file, same lock. It must not open anything by itself,
 * so it is given a name for the storage that is no path and a module whose connections are sessions of the engine.
 */
export function sequelizeOver(engine: SqliteEngine): Sequelize {
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
