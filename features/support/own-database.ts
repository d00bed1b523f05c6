import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createDatabase } from '../../test/support/mysql-server.ts';

/** Address of the MySQL server that own servers get their databases on; undefined on SQLite. */
function mysqlServer(): string | undefined {
  const { SVC_FEATURES_MYSQL_SERVER, SVC_FEATURES_OWN_DATABASE_URL, SVC_FEATURES_DATABASE_URL } = process.env;
  const named = SVC_FEATURES_MYSQL_SERVER || SVC_FEATURES_OWN_DATABASE_URL || SVC_FEATURES_DATABASE_URL;
  if (!named?.startsWith('mysql:')) return undefined;
  const url = new URL(named);
  url.pathname = '';
  return url.href;
}

/** A database that nobody has used, of the kind that the features run on; `drop` when the scenario is over. */
export async function emptyDatabase(folder: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const server = mysqlServer();
  if (server) return createDatabase(server);
  return { url: `sqlite:${join(folder, `own-${randomBytes(4).toString('hex')}.db`)}`, drop: async () => undefined };
}
