import type { Database, GroupCommits, PluginMigrations } from '../../../kernel/contracts/index.ts';
import type { DatabaseDeps } from './deps.ts';
import { DatabaseGroupCommits } from './group-commit.ts';
import { migrate } from './migrate/migrate.ts';
import { SqliteDatabase } from './sqlite/database.ts';
import { SqliteEngine } from './sqlite/engine.ts';
import type { WriteState } from './write-state.ts';
import { type MysqlAddress, parseDatabaseUrl, type SqliteAddress } from './url.ts';

export interface DatabaseHandle {
  database: Database;
  group_commits: GroupCommits;
  /** Migrates the schema. Returns the migrations (`runs/0001-runs`) of which this process applied steps. */
  migrate(list: readonly PluginMigrations[]): Promise<string[]>;
  /** Whether this process may write, and how its last write ended. */
  writes: WriteState;
  /** Waits for submitted group commits, then closes every connection. Safe to call twice. */
  close(): Promise<void>;
}

export interface Opening {
  database_url: string;
  /** The version of this svc. Absent in tools that never open the database of another version. */
  version?: string;
}

/**
 * Opens the configured database and proves that it answers. Throws `database_url_invalid`, `database_unavailable`,
 * `database_corrupt`, `database_busy`, `storage_full`.
 */
export async function openDatabase(settings: Opening, deps: DatabaseDeps): Promise<DatabaseHandle> {
  const address = parseDatabaseUrl(settings.database_url);
  const { database, close, canJoin } = await (address.family === 'sqlite'
    ? openSqlite(address, deps)
    : openMysql(address, deps));
  const group_commits = new DatabaseGroupCommits(database, deps.clock, canJoin);
  let closing: Promise<void> | undefined;
  return {
    database,
    group_commits,
    writes: database.writes,
    migrate: (list) => migrate(database, list, deps, settings.version ?? ''),
    close: () => {
      closing ??= group_commits.close().then(close);
      return closing;
    },
  };
}

async function openSqlite({ path }: SqliteAddress, deps: DatabaseDeps) {
  const engine = await SqliteEngine.open(path, deps.clock);
  const database = new SqliteDatabase(engine, deps);
  const close = async () => {
    await database.sequelize.close();
    await engine.close();
  };
  return { database, close, canJoin: () => database.canJoinCommit };
}

async function openMysql(address: MysqlAddress, deps: DatabaseDeps) {
  // The driver costs start time and memory, so it is loaded only when it is used.
  const { openMysqlDatabase } = await import('./mysql/open.ts');
  return { ...(await openMysqlDatabase(address, deps)), canJoin: undefined };
}
