import { type Database, isServiceError, type PluginMigrations } from '../../../../kernel/contracts/index.ts';
import type { DatabaseDeps } from '../deps.ts';
import { applyAll, applyStep } from './apply.ts';
import { DatabaseErrors } from '../errors.ts';
import { layoutsOf, newerLayout, recordLayouts } from './layout.ts';
import { appliedSteps, hasLedger, makeLedger } from './ledger.ts';
import { lockSchema, type MigrationLock } from './lock.ts';
import { loadUncached } from './once.ts';
import { type Step, stepsOf } from './steps.ts';

/** A process that loses the lock more often than this has a different problem. */
const MAX_LOSSES = 10;

/**
 * Migrates the schema. Any number of processes may call it at once: each step runs once, and the other processes wait.
 * Returns the migrations (`runs/0001-runs`) of which this process applied steps. `version` is that of this svc. Throws
 * `migration_failed`, `migration_changed`, `migration_locked` or `database_newer`.
 */
export async function migrate(
  database: Database,
  list: readonly PluginMigrations[],
  deps: DatabaseDeps,
  version: string,
): Promise<string[]> {
  const steps = stepsOf(list, database.sql.family);
  if (!(await hasLedger(database))) await makeLedger(database);
  const newer = await newerLayout(database, list);
  if (newer !== undefined) throw newerThan(version, newer);
  const done = async () => (await pendingOf(database, steps)).length === 0;
  const applied = new Set<string>();
  for (let losses = 0; ; losses += 1) {
    const lock = await lockSchema(database, deps, done);
    if (!lock) return [...applied];
    try {
      const layouts = layoutsOf(list, version);
      if (database.sql.family === 'sqlite' && (await applyAll(database, steps, layouts))) return migrationsOf(steps);
      // Layouts are recorded before the steps: an older server that sees the steps must know whether it can go on.
      const pending = new Set(migrationsOf(await pendingOf(database, steps)));
      const begun = layouts.filter(({ migration }) => pending.has(migration));
      await recordLayouts(database, begun, database.now());
      await runSteps(database, steps, lock, applied);
      return [...applied];
    } catch (error) {
      // A process that was suspended has lost its lock and nothing else: the new owner goes on, and this process waits for it.
      if (!lock.lost() || losses === MAX_LOSSES) throw error;
      deps.log.warn({ reason: (error as Error).message }, 'the migration lock was lost; waiting for it again');
    } finally {
      await lock.release();
    }
  }
}

/** The error for a database with migrations that this svc does not have, which `newer` lists. */
export const newerThan = (version: string, newer: string) =>
  DatabaseErrors.newer(`the database has migrations that this svc ${version} does not have: ${newer}`);

async function pendingOf(database: Database, steps: readonly Step[]): Promise<Step[]> {
  const applied = await appliedSteps(database, steps);
  return steps.filter(({ name }) => !applied.has(name));
}

/** Applies the steps, and adds their migrations to `applied` even if it fails in the middle. */
async function runSteps(
  database: Database,
  steps: readonly Step[],
  lock: MigrationLock,
  applied: Set<string>,
): Promise<void> {
  // The library is loaded only when there is something to apply, and unloaded again: it costs start time and memory.
  const { library, unload } = loadUncached('umzug');
  const { Umzug } = library as typeof import('umzug');
  const umzug = new Umzug({
    migrations: steps.map((step) => ({
      name: step.name,
      up: async () => {
        await lock.assertNotLost();
        await applyStep(database, step);
        applied.add(step.migration);
      },
    })),
    // A step records itself, in the same transaction as its work if the database allows that.
    storage: {
      executed: async () => [...(await appliedSteps(database, steps))],
      logMigration: async () => undefined,
      unlogMigration: async () => undefined,
    },
    logger: undefined,
  });
  try {
    await umzug.up();
  } catch (error) {
    const { cause } = error as Error;
    throw isServiceError(cause) ? cause : error;
  } finally {
    unload();
  }
}

const migrationsOf = (steps: readonly Step[]): string[] => [...new Set(steps.map(({ migration }) => migration))];
