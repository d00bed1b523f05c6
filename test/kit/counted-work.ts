import type { Database, Sealer, Transaction } from '../../kernel/contracts/index.ts';

/** What a server asks of its database and its keys. */
export interface Work {
  transactions: number;
  /** Statements within transactions, in order. */
  within: string[];
  /** Statements outside of transactions, in order. */
  outside: string[];
  /** The columns of sealed values, in order: `table.field`. */
  seals: string[];
  opens: string[];
}

/** Counts the work of a server while `run` runs, that of its background loops included. */
export type WorkCounter = <T>(run: () => Promise<T>) => Promise<{ result: T; work: Work }>;

/**
 * Counts every statement, and every value that is sealed or opened. It changes the objects that the plugins share, so a
 * server has one counter for as long as it lives.
 */
export function countWork(database: Database, sealer: Sealer): WorkCounter {
  let counted = none();
  const { read, write, transaction } = database;
  const [seal, open] = [sealer.seal.bind(sealer), sealer.open.bind(sealer)];
  const counting = (tx: Transaction): Transaction => {
    const [txRead, txWrite, txLock] = [tx.read.bind(tx), tx.write.bind(tx), tx.lock.bind(tx)];
    tx.read = ((statement, params) => {
      counted.within.push(statement);
      return txRead(statement, params);
    }) as Transaction['read'];
    tx.write = (statement, params) => {
      counted.within.push(statement);
      return txWrite(statement, params);
    };
    // On SQLite a lock is a read, which is counted as such.
    tx.lock = ((rows) => {
      if (tx.sql.family === 'mysql') counted.within.push(`lock ${rows.table}`);
      return txLock(rows);
    }) as Transaction['lock'];
    return tx;
  };
  database.read = ((statement, params) => {
    counted.outside.push(statement);
    return read.call(database, statement, params);
  }) as Database['read'];
  database.write = (statement, params) => {
    counted.outside.push(statement);
    return write.call(database, statement, params);
  };
  database.transaction = (run) => {
    counted.transactions += 1;
    return transaction.call(database, (tx) => run(counting(tx))) as never;
  };
  sealer.seal = (context, plain) => {
    counted.seals.push(`${context.table}.${context.field}`);
    return seal(context, plain);
  };
  sealer.open = (context, blob) => {
    counted.opens.push(`${context.table}.${context.field}`);
    return open(context, blob);
  };
  return async (run) => {
    counted = none();
    const result = await run();
    return { result, work: counted };
  };
}

const none = (): Work => ({ transactions: 0, within: [], outside: [], seals: [], opens: [] });
