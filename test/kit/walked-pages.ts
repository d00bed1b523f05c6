import { readFileSync } from 'node:fs';
import { DatabaseSync, StatementSync } from 'node:sqlite';

const PAGE = 4096;
/** Pages that lead to the rows of a statement, and those that a row may touch: of its index, of its table, and one more. */
const TO_ROWS = 10;
const OF_ROW = 3;

/** What statements have read of SQLite files although their rows do not hold it. */
export interface Walked {
  pages: number;
  /** The statement that has read the most of them, for the message of a test. */
  largest: { pages: number; statement: string };
}

/** Counts what is walked through while `work` runs, and what background work walks through meanwhile. */
export type WalkCounter = <T>(work: () => Promise<T>) => Promise<{ result: T; walked: Walked }>;

/**
 * Counts the pages that statements of this thread read from now on, each with an empty cache. The size of a result does not show
 * them: to reach a column, SQLite reads what stands before it in the row. To be called before the database is opened, once
 * in a process. Only Linux tells what a thread has read; elsewhere nothing is counted.
 */
export function countWalked(): WalkCounter {
  if (process.platform !== 'linux') return async (work) => ({ result: await work(), walked: nothing() });
  let counted: Walked = nothing();
  let counts = false;
  const databases = new WeakMap<StatementSync, DatabaseSync>();
  const { prepare } = DatabaseSync.prototype;
  const all = StatementSync.prototype.all as (this: StatementSync, ...params: unknown[]) => unknown[];
  DatabaseSync.prototype.prepare = function (...given) {
    const statement = prepare.apply(this, given);
    databases.set(statement, this);
    return statement;
  };
  StatementSync.prototype.all = function (this: StatementSync, ...params: unknown[]) {
    if (!counts) return all.apply(this, params);
    databases.get(this)?.exec('PRAGMA shrink_memory');
    const before = bytesRead();
    const rows = all.apply(this, params);
    const read = (bytesRead() - before) / PAGE;
    const pages = Math.max(0, Math.round(read - TO_ROWS - OF_ROW * rows.length - (2 * bytesOf(rows)) / PAGE));
    counted.pages += pages;
    if (pages > counted.largest.pages) counted.largest = { pages, statement: this.sourceSQL };
    return rows;
  } as StatementSync['all'];
  return async (work) => {
    counted = nothing();
    counts = true;
    try {
      return { result: await work(), walked: counted };
    } finally {
      counts = false;
    }
  };
}

const nothing = (): Walked => ({ pages: 0, largest: { pages: 0, statement: '' } });

/** By this thread, from files and what is like them. To read it adds a hundred to it. */
const bytesRead = (): number => Number(/rchar: (\d+)/.exec(readFileSync('/proc/thread-self/io', 'latin1'))![1]);

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce<number>((sum, one) => sum + bytesOf(one), 0);
}
