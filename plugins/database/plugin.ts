import {
  Clock,
  Database,
  definePlugin,
  GroupCommits,
  Ids,
  LoadedPlugins,
  Log,
  SERVER_ROLES,
  Settings,
} from '../../kernel/contracts/index.ts';
import { DatabaseCopies, SettledCopies } from './contract/copies.ts';
import { assertRestored } from './copy/marker.ts';
import { databaseCopies } from './copy/copies.ts';
import { type DatabaseHandle, openDatabase } from './open-database.ts';
import manifest from './plugin.json' with { type: 'json' };

export default definePlugin(manifest, (plugin) => {
  let opened: DatabaseHandle | undefined;
  const handle = () => {
    if (!opened) throw new Error('the database is opened in the phase migrate; use it from init on');
    return opened;
  };
  plugin.bind(Database, () => handle().database);
  plugin.bind(GroupCommits, () => handle().group_commits);
  plugin.bind(DatabaseCopies, (use) => {
    const [{ database_url }, { migrations }] = [use(Settings), use(LoadedPlugins)];
    const deps = { clock: use(Clock), log: use(Log), ids: use(Ids) };
    return databaseCopies({ database_url, migrations, settle: () => use.all(SettledCopies), ...deps });
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
