import { type Database, isServiceError, type PluginMigrations } from '../../../kernel/contracts/index.ts';
import type { DatabaseDeps } from '../deps.ts';
import { applyAll, applyStep } from './apply.ts';
import { appliedSteps, hasLedger, makeLedger } from './ledger.ts';
import { lockSchema, type MigrationLock } from './lock.ts';
import { loadOnce } from './once.ts';
import { type Step, stepsOf } from './steps.ts';

/**
 * Migrates the schema. Any number of processes may call it at once: each step runs once, and the others wait. Answers
 * the migrations (`runs/0001-runs`) of which this process applied steps. Throws `migration_failed`,
 * `migration_changed`, `migration_locked`.
 */
export async function migrate(
  database: Database,
  list: readonly PluginMigrations[],
  deps: DatabaseDeps,
): Promise<string[]> {
  const steps = stepsOf(list, database.sql.family);
  if (!(await hasLedger(database))) await makeLedger(database);
  const done = async () => (await pendingOf(database, steps)).length === 0;
  const lock = await lockSchema(database, deps, done);
  if (!lock) return [];
  try {
    if (database.sql.family === 'sqlite' && (await applyAll(database, steps))) return migrationsOf(steps);
    return await runSteps(database, steps, lock);
  } finally {
    await lock.release();
  }
}

async function pendingOf(database: Database, steps: readonly Step[]): Promise<Step[]> {
  const applied = await appliedSteps(database, steps);
  return steps.filter(({ name }) => !applied.has(name));
}

async function runSteps(database: Database, steps: readonly Step[], lock: MigrationLock): Promise<string[]> {
  // Loaded only when there is something to apply, and not kept: the library costs start time, and memory.
  const { library, forget } = loadOnce('umzug');
  const { Umzug } = library as typeof import('umzug');
  const umzug = new Umzug({
    migrations: steps.map((step) => ({
      name: step.name,
      up: async () => {
        await lock.assertHeld();
        await applyStep(database, step);
      },
    })),
    // A step records itself, in one transaction with its work where the database can.
    storage: {
      executed: async () => [...(await appliedSteps(database, steps))],
      logMigration: async () => undefined,
      unlogMigration: async () => undefined,
    },
    logger: undefined,
  });
  try {
    const applied = new Set((await umzug.up()).map(({ name }) => name));
    return migrationsOf(steps.filter(({ name }) => applied.has(name)));
  } catch (error) {
    const { cause } = error as Error;
    throw isServiceError(cause) ? cause : error;
  } finally {
    forget();
  }
}

const migrationsOf = (steps: readonly Step[]): string[] => [...new Set(steps.map(({ migration }) => migration))];
