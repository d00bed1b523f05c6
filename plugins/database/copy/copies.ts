import type { PluginMigrations } from '../../../kernel/contracts/index.ts';
import type { DatabaseDeps } from '../deps.ts';
import { sqliteFilling } from '../sqlite/filling.ts';
import { sqliteSnapshot } from '../sqlite/snapshot.ts';
import { parseDatabaseUrl } from '../url.ts';
import type { DatabaseCopies, SettleCopy } from '../contract/copies.ts';

interface Place extends DatabaseDeps {
  database_url: string;
  version: string;
  migrations: readonly PluginMigrations[];
  settle: () => readonly SettleCopy[];
}

/** The driver of MySQL is loaded only when it is used. */
export function databaseCopies({ database_url, version, migrations, settle, ...deps }: Place): DatabaseCopies {
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
        return sqliteFilling(address.path, { migrations, settle: settle(), version }, deps);
      const { mysqlFilling } = await import('../mysql/filling.ts');
      return mysqlFilling(address, database_url, { migrations, settle: settle(), version }, deps);
    },
  };
}
