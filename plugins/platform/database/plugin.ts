import {
  Clock,
  Database,
  definePlugin,
  GroupCommits,
  HealthChecks,
  Ids,
  LoadedPlugins,
  Log,
  SERVER_ROLES,
  Settings,
} from '../../../kernel/contracts/index.ts';
import { DatabaseCopies, AfterRestoreHooks } from './contract/copies.ts';
import { LayoutWatch } from './migrate/layout-watch.ts';
import { WriteProbe } from './write-probe.ts';
import { assertRestored } from './copy/marker.ts';
import { databaseCopies } from './copy/copies.ts';
import { type DatabaseHandle, openDatabase } from './open-database.ts';
import manifest from './plugin.json' with { type: 'json' };

export default definePlugin(manifest, (plugin) => {
  let opened: DatabaseHandle | undefined;
  const handle = () => {
    if (!opened) throw new Error('the database is opened in the migrate phase; use it in init or later');
    return opened;
  };
  plugin.bind(Database, () => handle().database);
  plugin.bind(GroupCommits, () => handle().group_commits);
  plugin.bind(DatabaseCopies, (use) => {
    const [{ database_url, version }, { migrations }] = [use(Settings), use(LoadedPlugins)];
    const deps = { clock: use(Clock), log: use(Log), ids: use(Ids) };
    return databaseCopies({
      database_url,
      version,
      migrations,
      afterRestore: () => use.all(AfterRestoreHooks),
      ...deps,
    });
  });
  const probe = plugin.own((use) => new WriteProbe(handle().database, handle().writes, use(Clock)));
  plugin.contribute(HealthChecks, (use) => [
    {
      name: 'database_version',
      async check() {
        const retired = handle().writes.retired;
        if (retired) throw retired;
      },
    },
    { name: 'database_writes', check: () => probe(use).check() },
  ]);
  plugin.onStart(SERVER_ROLES, async (use) => {
    const { database, writes } = handle();
    const [{ migrations }, { version }] = [use(LoadedPlugins), use(Settings)];
    const [clock, log] = [use(Clock), use(Log).child({ part: 'database' })];
    return new LayoutWatch({ database, writes, migrations, version, clock, log }).start();
  });
  plugin.onMigrate(SERVER_ROLES, async (use, migrations) => {
    const own = await openDatabase(use(Settings), { clock: use(Clock), log: use(Log), ids: use(Ids) });
    try {
      await assertRestored(own.database);
      await own.migrate(migrations);
    } catch (error) {
      await own.close();
      throw error;
    }
    opened = own;
    return () => own.close();
  });
});
