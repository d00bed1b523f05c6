import type { PluginMigrations } from '../../../../kernel/contracts/index.ts';
import type { DatabaseDeps } from '../deps.ts';
import { openSqliteRestoreTarget } from '../sqlite/restore-target.ts';
import { sqliteSnapshot } from '../sqlite/snapshot.ts';
import { parseDatabaseUrl } from '../url.ts';
import type { DatabaseCopies, AfterRestore } from '../contract/copies.ts';

interface CopySource extends DatabaseDeps {
  database_url: string;
  version: string;
  migrations: readonly PluginMigrations[];
  afterRestore: () => readonly AfterRestore[];
}

/** Copies the configured database. The MySQL driver is loaded only when it is used. */
export function databaseCopies({
  database_url,
  version,
  migrations,
  afterRestore,
  ...deps
}: CopySource): DatabaseCopies {
  return {
    async snapshot() {
      const address = parseDatabaseUrl(database_url);
      if (address.family === 'sqlite') return sqliteSnapshot(address.path, migrations);
      const { mysqlSnapshot } = await import('../mysql/snapshot.ts');
      return mysqlSnapshot(address, migrations);
    },
    async fill() {
      const address = parseDatabaseUrl(database_url);
      if (address.family === 'sqlite')
        return openSqliteRestoreTarget(address.path, { migrations, afterRestore: afterRestore(), version }, deps);
      const { openMysqlRestoreTarget: mysqlFilling } = await import('../mysql/restore-target.ts');
      return mysqlFilling(address, database_url, { migrations, afterRestore: afterRestore(), version }, deps);
    },
  };
}
