import t, { type Test } from 'tap';
import type { Migration, PluginMigrations } from '../../../../kernel/contracts/index.ts';
import { type Engine, onEngines, openAt, openFresh } from '../engines.testsuite.ts';
import { LayoutWatch } from './layout-watch.ts';
import { migrate } from './migrate.ts';

const table = (name: string, additive?: true): Migration => {
  const statement = `CREATE TABLE notes_${name.replaceAll('-', '_')} (n BIGINT)`;
  return { name, sqlite: [statement], mysql: [statement], ...(additive && { additive }) };
};
const builtin = (...migrations: Migration[]): PluginMigrations => ({
  ...{ plugin: 'runs', version: '0.1.0', builtin: true, migrations },
});
const foreign = (version: string, ...migrations: Migration[]): PluginMigrations => ({
  ...{ plugin: 'notes', version, builtin: false, migrations },
});

const OLD = [builtin(table('0001-a')), foreign('1.1.0', table('0001-n'))];
const NEW = [builtin(table('0001-a'), table('0002-b')), foreign('1.1.0', table('0001-n'))];
const ADDED = [builtin(table('0001-a'), table('0003-c', true)), foreign('1.1.0', table('0001-n'))];
const PLUGIN = [builtin(table('0001-a')), foreign('1.2.0', table('0001-n'), table('0002-m'))];
const WITHOUT = [builtin(table('0001-a'))];

async function refusals(t: Test, engine: Engine): Promise<void> {
  const handle = await openFresh(t, engine);
  const start = (list: readonly PluginMigrations[], version: string) => migrate(handle.database, list, handle, version);
  await start(OLD, '0.1.0');
  await start(ADDED, '0.2.0');
  t.same(await start(OLD, '0.1.0'), [], 'what only adds does not keep an older version away');
  await start(NEW, '0.3.0');
  await t.rejects(start(OLD, '0.1.0'), {
    code: 'database_newer',
    message: 'the database has migrations that this svc 0.1.0 does not have: runs/0002-b (of svc 0.3.0)',
    next: /Start that version .* backup/,
  });
  await t.rejects(start(ADDED, '0.2.0'), { code: 'database_newer', message: /svc 0\.2\.0 .*svc 0\.3\.0/ });
}

async function whatIsAdditive(t: Test, engine: Engine): Promise<void> {
  const handle = await openFresh(t, engine);
  const start = (...statements: string[]) => {
    const added: Migration = { name: '0002-more', sqlite: statements, mysql: statements, additive: true };
    return migrate(handle.database, [builtin(table('0001-a'), added)], handle, '0.1.0');
  };
  for (const statement of [
    'DROP TABLE notes_0001_a',
    'UPDATE notes_0001_a SET n = 1',
    'ALTER TABLE notes_0001_a DROP COLUMN n',
    'ALTER TABLE notes_0001_a ADD COLUMN m BIGINT NOT NULL',
    'CREATE UNIQUE INDEX notes_n ON notes_0001_a (n)',
  ])
    await t.rejects(start(statement), {
      message: `runs/0002-more is not additive: servers without it cannot work with "${statement}"`,
    });
  await start(
    'ALTER TABLE notes_0001_a ADD COLUMN m BIGINT',
    'ALTER TABLE notes_0001_a ADD COLUMN k BIGINT NOT NULL DEFAULT 0',
    'CREATE TABLE notes_more (n BIGINT NOT NULL)',
    'CREATE INDEX notes_n ON notes_0001_a (n)',
  );
}

async function pluginsThatAreGone(t: Test, engine: Engine): Promise<void> {
  const handle = await openFresh(t, engine);
  const start = (list: readonly PluginMigrations[]) => migrate(handle.database, list, handle, '0.1.0');
  await start(PLUGIN);
  await t.rejects(start(OLD), { code: 'database_newer', message: /notes\/0002-m \(of notes 1\.2\.0\)/ });
  t.same(await start(WITHOUT), [], 'a plugin that is removed leaves its tables behind');
}

/** A database of a version that recorded nothing but steps. */
async function withoutVersions(t: Test, engine: Engine): Promise<void> {
  const handle = await openFresh(t, engine);
  await migrate(handle.database, NEW, handle, '0.3.0');
  await handle.database.write('DROP TABLE kernel_layouts');
  t.same(await migrate(handle.database, NEW, handle, '0.3.0'), []);
  await t.rejects(migrate(handle.database, OLD, handle, '0.1.0'), { message: /does not have: runs\/0002-b$/ });
}

async function underARunningServer(t: Test, engine: Engine): Promise<void> {
  const older = await openFresh(t, engine);
  await migrate(older.database, OLD, older, '0.1.0');
  const newer = engine.name === 'SQLite memory' ? older : await openAt(older.url);
  t.teardown(() => newer.close());
  const { clock, turns } = steppedClock();
  const { database, writes, log } = older;
  const watch = { database, writes, migrations: OLD, version: '0.1.0', clock, log };
  const stop = new LayoutWatch(watch).start();
  t.teardown(stop);
  await turns(1);
  await migrate(newer.database, ADDED, newer, '0.2.0');
  await turns(1);
  t.equal(database.retired(), undefined);
  t.equal(log.lines.filter((line) => line.includes('this server continues')).length, 1);
  await database.write('INSERT INTO notes_0001_a (n) VALUES (1)');
  await migrate(newer.database, NEW, newer, '0.3.0');
  await turns(1);
  const refused = { code: 'database_newer', status: 503, message: /svc 0\.1\.0 .*runs\/0002-b \(of svc 0\.3\.0\)/ };
  t.match(database.retired(), refused);
  await t.rejects(database.write('INSERT INTO notes_0001_a (n) VALUES (2)'), refused);
  await t.rejects(
    database.transaction((tx) => tx.write('INSERT INTO notes_0001_a (n) VALUES (3)')),
    refused,
  );
  t.equal((await database.read('SELECT n FROM notes_0001_a')).length, 1, 'it can still be read');
  await turns(2);
  t.equal(log.lines.filter((line) => line.startsWith('this server accepts no more work')).length, 1, 'said once');
}

/** A clock whose timers fire when `turns` says so; it resolves when the loop has armed the next one. */
function steppedClock() {
  let armed = Promise.withResolvers<() => void>();
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    after(_ms: number, run: () => void) {
      armed.resolve(run);
      return () => undefined;
    },
  };
  const turns = async (count: number) => {
    for (let turn = 0; turn < count; turn++) {
      const fire = await armed.promise;
      armed = Promise.withResolvers();
      fire();
      await armed.promise;
    }
  };
  return { clock, turns };
}

t.setTimeout(120_000);

t.test('databases of newer versions', (t) =>
  onEngines(t, async (t, engine) => {
    await t.test('a start is refused with both versions', (t) => refusals(t, engine));
    await t.test('what cannot be additive is no such migration', (t) => whatIsAdditive(t, engine));
    await t.test('plugins count only when they are loaded', (t) => pluginsThatAreGone(t, engine));
    await t.test('without a record of versions', (t) => withoutVersions(t, engine));
    await t.test('a running server writes nothing more', (t) => underARunningServer(t, engine));
  }),
);
