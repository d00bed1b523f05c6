import { type Clock, type Database, type Ids, isServiceError, type Log } from '../../contracts/index.ts';
import { applyStep } from './apply.ts';
import { appliedSteps, hasLedger, makeLedger } from './ledger.ts';
import { lockSchema, type MigrationLock } from './lock.ts';
import { type PluginMigrations, type Step, stepsOf } from './steps.ts';

interface Deps {
  clock: Clock;
  log: Log;
  ids: Ids;
}

/**
 * Brings the schema up to date. Any number of processes may do so at once: each step runs once, and whoever comes
 * second waits. Answers the migrations (`runs/0001-runs`) of which this process applied steps.
 * Throws `migration_failed`, `migration_changed`, `migration_locked`.
 */
export async function migrate(database: Database, list: readonly PluginMigrations[], deps: Deps): Promise<string[]> {
  const steps = stepsOf(list, database.sql.family);
  if (!(await hasLedger(database))) await makeLedger(database);
  const done = async () => (await pendingOf(database, steps)).length === 0;
  const lock = await lockSchema(database, deps, done);
  if (!lock) return [];
  try {
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
  // Loaded only when there is something to apply: it brings a command line of its own, which costs start time.
  const { Umzug } = await import('umzug');
  const umzug = new Umzug({
    migrations: steps.map((step) => ({
      name: step.name,
      up: async () => {
        await lock.assertHeld();
        await applyStep(database, step);
      },
    })),
    // A step records itself, where it can in one transaction with its work.
    storage: {
      executed: async () => [...(await appliedSteps(database, steps))],
      logMigration: async () => undefined,
      unlogMigration: async () => undefined,
    },
    logger: undefined,
  });
  try {
    const applied = new Set((await umzug.up()).map(({ name }) => name));
    return [...new Set(steps.filter(({ name }) => applied.has(name)).map(({ migration }) => migration))];
  } catch (error) {
    const { cause } = error as Error;
    throw isServiceError(cause) ? cause : error;
  }
}
