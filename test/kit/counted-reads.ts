import type { Database, Transaction } from '../../kernel/contracts/index.ts';

/** What a server has read from its database: rows, and the bytes of their values. */
export interface Reads {
  bytes: number;
  rows: number;
  /** Bytes of those that transactions have read: who only looks at something needs none. */
  within_transactions: number;
  /** The statement whose rows had the most bytes, for the message of a test. */
  largest: { bytes: number; statement: string };
}

/** Counts what is read while `work` runs, and what background work reads meanwhile. */
export type ReadCounter = <T>(work: () => Promise<T>) => Promise<{ result: T; reads: Reads }>;

/**
 * Counts every row that the database of a server answers from now on: of statements, of transactions and of Sequelize.
 * It changes the object that the plugins share, so a server has one counter for as long as it lives.
 */
export function countReads(database: Database): ReadCounter {
  let counted: Reads = nothing();
  const note = <R>(statement: string, rows: R[]): R[] => {
    const bytes = rows.reduce((sum, row) => sum + bytesOf(row), 0);
    counted.bytes += bytes;
    counted.rows += rows.length;
    if (bytes > counted.largest.bytes) counted.largest = { bytes, statement };
    return rows;
  };
  const noteWithin = <R>(statement: string, rows: R[]): R[] => {
    const before = counted.bytes;
    note(statement, rows);
    counted.within_transactions += counted.bytes - before;
    return rows;
  };
  const { read, transaction } = database;
  const query = database.sequelize.query.bind(database.sequelize) as (...given: unknown[]) => Promise<unknown>;
  const countedTransaction = (tx: Transaction): Transaction => {
    const [txRead, txLock] = [tx.read.bind(tx), tx.lock.bind(tx)] as [Transaction['read'], Transaction['lock']];
    tx.read = async <R>(statement: string, params?: Parameters<Transaction['read']>[1]) =>
      noteWithin(statement, await txRead<R>(statement, params));
    tx.lock = async <R>(rows: Parameters<Transaction['lock']>[0]) =>
      noteWithin(`${rows.columns} of ${rows.table}`, await txLock<R>(rows));
    return tx;
  };
  database.read = async <R>(statement: string, params?: Parameters<Database['read']>[1]) =>
    note(statement, await read.call(database, statement, params)) as R[];
  database.transaction = (work) => transaction.call(database, (tx) => work(countedTransaction(tx))) as never;
  database.sequelize.query = (async (...given: unknown[]) => {
    const answer = await query(...given);
    note('a query of Sequelize', Array.isArray(answer) ? answer : []);
    return answer;
  }) as typeof database.sequelize.query;
  return async (work) => {
    counted = nothing();
    const result = await work();
    return { result, reads: counted };
  };
}

const nothing = (): Reads => ({ bytes: 0, rows: 0, within_transactions: 0, largest: { bytes: 0, statement: '' } });

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value instanceof Uint8Array) return value.length;
  if (value === null || value === undefined) return 1;
  if (typeof value !== 'object' || value instanceof Date) return 8;
  return Object.values(value).reduce<number>((sum, one) => sum + bytesOf(one), 0);
}
