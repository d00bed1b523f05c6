import { type Database, insertRows, type Transaction } from '../../../../kernel/contracts/index.ts';
import { DatabaseErrors } from '../errors.ts';
import { isLost } from '../mysql/errors.ts';
import { type Layout, recordLayouts } from './layout.ts';
import type { Step } from './steps.ts';

/** MySQL errors for a table, column or key that exists already or no longer exists: traces of an interrupted step. */
const ALREADY_APPLIED: ReadonlySet<number> = new Set([1050, 1060, 1061, 1091, 1051]);
const DATA = /^\s*(INSERT|UPDATE|DELETE|REPLACE)\b/i;

/**
 * Runs one step and records it. SQLite does both in one transaction, and so does MySQL for data. MySQL commits each schema
 * change by itself, so the step is announced first; a later attempt that finds the change already made counts it as done.
 */
export async function applyStep(database: Database, step: Step): Promise<void> {
  try {
    if (database.sql.family === 'sqlite' || DATA.test(step.statement)) await applyInTransaction(database, step);
    else await applyAnnounced(database, step);
  } catch (error) {
    throw migrationFailed(step, error);
  }
}

/**
 * Creates the whole schema of a new SQLite database in one transaction: one commit instead of hundreds, and no schema at all
 * if the process dies. Returns false when another process has begun already.
 */
export function applyAll(database: Database, steps: readonly Step[], layouts: readonly Layout[]): Promise<boolean> {
  return database.transaction(async (tx) => {
    const begun = await tx.read('SELECT name FROM kernel_migrations LIMIT 1');
    if (begun.length > 0) return false;
    for (const step of steps)
      try {
        await tx.write(step.statement);
      } catch (error) {
        throw migrationFailed(step, error);
      }
    // At the end: after each change of the schema, SQLite would compile the statement that records it again.
    const now = database.now();
    const rows = steps.map(({ name, digest }) => [name, digest, now, now]);
    await insertRows(tx, 'INSERT INTO kernel_migrations', ['name', 'digest', 'started_at', 'applied_at'], rows);
    await recordLayouts(tx, layouts, now);
    return true;
  });
}

function migrationFailed({ name }: Step, error: unknown): Error {
  const cause = error instanceof Error ? error.message : String(error);
  return DatabaseErrors.migrationFailed(`${name}: ${cause}`, { cause: error });
}

async function applyInTransaction(database: Database, step: Step): Promise<void> {
  await database.transaction(async (tx) => {
    const sql = 'SELECT applied_at FROM kernel_migrations WHERE name = ?';
    const [recorded] = await tx.read<{ applied_at: number | null }>(sql, [step.name]);
    if (recorded && recorded.applied_at !== null) return;
    await tx.write(step.statement);
    await tx.write('DELETE FROM kernel_migrations WHERE name = ?', [step.name]);
    await record(tx, step, database.now());
  });
}

async function record(tx: Transaction, { name, digest }: Step, now: number): Promise<void> {
  const sql = 'INSERT INTO kernel_migrations (name, digest, started_at, applied_at) VALUES (?, ?, ?, ?)';
  await tx.write(sql, [name, digest, now, now]);
}

async function applyAnnounced(database: Database, step: Step): Promise<void> {
  const repeated = !(await announce(database, step));
  try {
    // `write` has a time limit, and a schema change may take longer.
    await database.sequelize.query({ query: step.statement, values: [] });
  } catch (error) {
    if (isLost(error)) throw error;
    if (!repeated || !ALREADY_APPLIED.has(errnoOf(error))) {
      // The server rejected it, so nothing changed. The next attempt must not mistake a foreign table for its own.
      await database.write('DELETE FROM kernel_migrations WHERE name = ? AND applied_at IS NULL', [step.name]);
      throw error;
    }
  }
  await database.write('UPDATE kernel_migrations SET applied_at = ?, digest = ? WHERE name = ?', [
    database.now(),
    step.digest,
    step.name,
  ]);
}

/** Returns false when an earlier process announced this step and did not finish it. */
async function announce(database: Database, step: Step): Promise<boolean> {
  const rows = await database.write(
    `${database.sql.insert_ignore} kernel_migrations (name, digest, started_at) VALUES (?, ?, ?)`,
    [step.name, step.digest, database.now()],
  );
  return rows === 1;
}

function errnoOf(error: unknown): number {
  const parent = error instanceof Error && 'parent' in error ? error.parent : error;
  return typeof parent === 'object' && parent !== null && 'errno' in parent ? Number(parent.errno) : 0;
}
