import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import t, { type Test } from 'tap';
import { boot } from '../../kernel/boot/index.ts';
import { Database } from '../../kernel/contracts/index.ts';
import { dumpSchema } from '../tools/dump.ts';
import { openMysql } from '../support/mysql-server.ts';

/** The schema as every migration together makes it; `SVC_WRITE_SCHEMA=1` writes the dumps anew. */
async function freshSchema(database_url: string): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'svc-schema-'));
  const env = {
    SVC_DATABASE_URL: database_url,
    SVC_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    SVC_LOG_LEVEL: 'error',
  };
  const kernel = await boot({ role: 'server', env, settings: { home }, quiet: true });
  try {
    return await dumpSchema(kernel.use(Database));
  } finally {
    await kernel.stop();
    await rm(home, { recursive: true, force: true });
  }
}

async function compare(t: Test, family: string, database_url: string): Promise<void> {
  const path = resolve(import.meta.dirname, `../../plugins/platform/database/schema.${family}.txt`);
  const schema = await freshSchema(database_url);
  if (process.env.SVC_WRITE_SCHEMA) await writeFile(path, schema);
  t.equal(
    schema,
    await readFile(path, 'utf8'),
    `schema.${family}.txt is what the migrations make; npm run schema writes it`,
  );
}

t.test('SQLite: the committed dump is fresh', (t) => compare(t, 'sqlite', 'sqlite::memory:'));

t.test('MySQL: the committed dump is fresh', async (t) => {
  const database_url = await openMysql(t);
  if (database_url === undefined) return;
  return compare(t, 'mysql', database_url);
});
