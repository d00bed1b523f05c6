import t from 'tap';
import { AdminCommands, boot } from '../kernel/boot/index.ts';
import { loadCommands } from './tables.ts';

t.test('the CLI offers the admin commands of the plugins, with exactly their flags', async (t) => {
  const env = { SVC_LOG_LEVEL: 'error' };
  const settings = { database_url: 'sqlite::memory:', home: t.testdir() };
  const kernel = await boot({ role: 'server', env, settings, quiet: true });
  try {
    const contributed = kernel.use.all(AdminCommands).map(({ name, flags }) => ({
      name: `admin ${name}`,
      flags: Object.fromEntries(flags.map((flag) => [flag.name, flag.type])),
    }));
    // These open the database themselves: it must be neither migrated nor made before.
    const own = ['admin backup', 'admin restore'];
    const commands = (await loadCommands({})).filter(({ name }) => name.startsWith('admin ') && !own.includes(name));
    const offered = commands.map(({ name, flags }) => ({
      name,
      flags: Object.fromEntries(Object.entries(flags ?? {}).map(([flag, { type }]) => [flag, type])),
    }));
    const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
    t.same(offered.sort(byName), contributed.sort(byName));
  } finally {
    await kernel.stop();
  }
});
