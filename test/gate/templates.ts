import { copyFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boot, plan } from '../../kernel/boot/index.ts';
import { SERVER_ROLES } from '../../kernel/contracts/index.ts';
import { openTestDatabase, STORES, testPlugin } from '../kit/index.ts';
import { dumpDatabase } from '../kit/mysql-dump.ts';
import { templateIn } from '../kit/templates.ts';

/** Writes the schema of all built-in plugins, of each store, to the folder that is named: `templates.ts <folder>`. */
async function main(folder: string): Promise<void> {
  for (const store of STORES) {
    const database = await openTestDatabase(store);
    try {
      await migrate(database);
      // Complete, or not there: tests run beside it.
      const draft = join(folder, `draft-of-${store}`);
      if (store === 'sqlite') await copyFile(database.url.slice('sqlite:'.length), draft);
      else await writeFile(draft, await dumpDatabase(database.url));
      await rename(draft, templateIn(folder, store));
    } finally {
      await database.drop();
    }
  }
}

/** Runs the migrations and nothing after them: what a server writes when it starts is its own. */
async function migrate({ url, master_key }: { url: string; master_key: string }): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'svc-home-'));
  let migrated = false;
  const only = testPlugin(
    'schema-only',
    (plugin) =>
      plugin.onMigrate(SERVER_ROLES, () => {
        migrated = true;
        throw new Error('the schema is all that is wanted');
      }),
    { requires: ['database'] },
  );
  try {
    const env = { SVC_MASTER_KEY: master_key, SVC_LOG_LEVEL: 'silent' };
    const settings = { database_url: url, home };
    const kernel = await boot({ role: 'server', env, settings, plugins: [...(await builtIn()), only] });
    await kernel.stop();
    throw new Error('the server booted, and should not have');
  } catch (error) {
    if (!migrated) throw error;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Those of adapters are made of data, and have no folder and no migrations. */
async function builtIn(): Promise<string[]> {
  const candidates = await plan([]);
  return candidates.filter(({ builtin, folder }) => builtin && folder !== '').map(({ manifest }) => manifest.id);
}

await main(process.argv[2]!);
