import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { systemClock } from '../../kernel/boot/services/clock.ts';
import { createIds } from '../../kernel/boot/services/ids.ts';
import { createLog } from '../../kernel/boot/services/log.ts';
import { openDatabase } from '../../kernel/database/index.ts';
import { maskingTables } from '../../plugins/masking/migrations/0001-masking.ts';
import { runsMigrations } from '../../plugins/runs/migrations/index.ts';
import { createDatabase, startMysql } from '../support/mysql-server.ts';
import { storeSuite } from './store.testsuite.ts';

const clock = systemClock;
const deps = { clock, ids: createIds(clock), log: createLog('warn', { test: 'store' }) };

/** Opening migrates, as every server does that starts. */
async function open(database_url: string) {
  const handle = await openDatabase({ database_url }, deps);
  await handle.migrate([
    { plugin: 'masking', migrations: [maskingTables] },
    { plugin: 'runs', migrations: runsMigrations },
  ]);
  return handle;
}

await t.test('SQLite in memory', (t) =>
  storeSuite(t, { name: 'sqlite-memory', clock, lasting: false, open: () => open('sqlite::memory:') }),
);

await t.test('SQLite in a file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-store-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const url = `sqlite:${join(folder, 'svc.db')}`;
  await storeSuite(t, { name: 'sqlite-file', clock, lasting: true, open: () => open(url) });
});

const mysql = await startMysql();
if ('reason' in mysql) t.comment(`the MySQL half is left out: ${mysql.reason}`);
else {
  t.teardown(() => mysql.stop());
  await t.test('MySQL', async (t) => {
    const { url, drop } = await createDatabase(mysql.url);
    t.teardown(drop);
    await storeSuite(t, { name: 'mysql', clock, lasting: true, open: () => open(url) });
  });
}
