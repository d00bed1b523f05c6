import type { Clock, Database, GroupCommits, Ids, Log } from '../contracts/index.ts';
import { DatabaseGroupCommits } from './group-commit.ts';
import { migrate } from './migrate/migrate.ts';
import type { PluginMigrations } from './migrate/steps.ts';
import { SqliteDatabase } from './sqlite/database.ts';
import { SqliteEngine } from './sqlite/engine.ts';
import { type MysqlAddress, parseDatabaseUrl, type SqliteAddress } from './url.ts';

export interface DatabaseHandle {
  database: Database;
  group_commits: GroupCommits;
  /** Answers the migrations (`runs/0001-runs`) of which this process applied steps. */
  migrate(list: PluginMigrations[]): Promise<string[]>;
  /** Settles what was submitted to group commits, then closes every connection. Safe to call twice. */
  close(): Promise<void>;
}

interface Deps {
  clock: Clock;
  log: Log;
  ids: Ids;
}

/**
 * Opens the database that the settings name and proves that it answers.
 * Throws `database_url_invalid`, `database_unavailable`, `database_corrupt`, `database_busy`, `storage_full`.
 */
export async function openDatabase(settings: { database_url: string }, deps: Deps): Promise<DatabaseHandle> {
  const address = parseDatabaseUrl(settings.database_url);
  const { database, close } = await (address.family === 'sqlite'
    ? openSqlite(address, deps)
    : openMysql(address, deps));
  const group_commits = new DatabaseGroupCommits(database, deps.clock);
  let closing: Promise<void> | undefined;
  return {
    database,
    group_commits,
    migrate: (list) => migrate(database, list, deps),
    close: () => {
      closing ??= group_commits.close().then(close);
      return closing;
    },
  };
}

async function openSqlite({ path }: SqliteAddress, deps: Deps) {
  const engine = await SqliteEngine.open(path, deps.clock);
  const database = new SqliteDatabase(engine, deps);
  const close = async () => {
    await database.sequelize.close();
    await engine.close();
  };
  return { database, close };
}

async function openMysql(address: MysqlAddress, deps: Deps) {
  // The driver is loaded only where it is used: it costs start time and memory.
  const { openMysqlDatabase } = await import('./mysql/open.ts');
  return openMysqlDatabase(address, deps);
}
