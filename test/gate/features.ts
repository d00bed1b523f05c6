import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createDatabase } from '../support/mysql-server.ts';

/** Runs the feature files on one store: `features.ts sqlite|mysql [cucumber arguments]`. */
async function main(): Promise<void> {
  const [store = 'sqlite', ...args] = process.argv.slice(2);
  const server = process.env.SVC_TEST_MYSQL_URL;
  const databases = store === 'mysql' && server ? [await createDatabase(server)] : [];
  const env = {
    ...process.env,
    ...(databases[0] ? { SVC_FEATURES_DATABASE_URL: databases[0].url, SVC_FEATURES_MYSQL_SERVER: server } : {}),
  };
  try {
    const child = spawn('cucumber-js', args, { env, stdio: 'inherit' });
    const [code] = (await once(child, 'close')) as [number | null];
    process.exitCode = code ?? 1;
  } finally {
    for (const database of databases) await database.drop();
  }
}

await main();
