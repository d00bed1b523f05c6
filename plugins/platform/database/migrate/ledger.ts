import type { Database, Queries } from '../../../../kernel/contracts/index.ts';
import { DatabaseErrors } from '../errors.ts';
import type { Step } from './steps.ts';

const ID = { sqlite: 'TEXT', mysql: 'VARCHAR(190) CHARACTER SET ascii COLLATE ascii_bin' } as const;
const END = { sqlite: '', mysql: ' ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin' } as const;

export interface Recorded {
  name: string;
  digest: string;
  /** NULL while the step runs, or when the process died during it. */
  applied_at: number | null;
}

/** Creates the migrator's own tables. Safe when many processes do it at once. */
export async function makeLedger(database: Database): Promise<void> {
  const { family, insert_ignore } = database.sql;
  await database.write(
    `CREATE TABLE IF NOT EXISTS kernel_migrations (name ${ID[family]} NOT NULL PRIMARY KEY, digest ${ID[family]} NOT NULL, started_at BIGINT NOT NULL, applied_at BIGINT)${END[family]}`,
  );
  await database.write(
    `CREATE TABLE IF NOT EXISTS kernel_migration_lock (name ${ID[family]} NOT NULL PRIMARY KEY, owner ${ID[family]} NOT NULL, expires_at BIGINT NOT NULL)${END[family]}`,
  );
  await database.write(
    `CREATE TABLE IF NOT EXISTS kernel_layouts (migration ${ID[family]} NOT NULL PRIMARY KEY, made_by ${ID[family]} NOT NULL, additive SMALLINT NOT NULL, recorded_at BIGINT NOT NULL)${END[family]}`,
  );
  await database.write(`${insert_ignore} kernel_migration_lock (name, owner, expires_at) VALUES ('schema', '', 0)`);
}

export async function hasLedger(database: Database): Promise<boolean> {
  const tables = "('kernel_migration_lock', 'kernel_layouts')";
  const rows = await database.read(
    database.sql.family === 'sqlite'
      ? `SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ${tables}`
      : `SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name IN ${tables}`,
  );
  return rows.length === 2;
}

/** Returns the names of the applied steps. Throws `migration_changed` when the SQL of an applied step differs. */
export async function appliedSteps(queries: Pick<Queries, 'read'>, steps: readonly Step[]): Promise<Set<string>> {
  const recorded = await queries.read<Recorded>('SELECT name, digest, applied_at FROM kernel_migrations');
  const digests = new Map(steps.map((step) => [step.name, step.digest]));
  for (const { name, digest, applied_at } of recorded)
    if (applied_at !== null && digests.has(name) && digests.get(name) !== digest)
      throw DatabaseErrors.migrationChanged(`${name} was applied with different SQL`);
  return new Set(recorded.filter(({ applied_at }) => applied_at !== null).map(({ name }) => name));
}
