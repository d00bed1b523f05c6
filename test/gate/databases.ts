import { startMysql } from '../support/mysql-server.ts';

export interface GateDatabase {
  store: 'sqlite' | 'mysql';
  /** Address of the server, without a database; empty for SQLite. */
  server_url: string;
}

/** SQLite always; MySQL when one is configured or on the machine, else a line that says that it is left out. */
export async function openDatabases(): Promise<{ open: GateDatabase[]; close: () => Promise<void> }> {
  const sqlite: GateDatabase = { store: 'sqlite', server_url: '' };
  const mysql = await startMysql();
  if ('reason' in mysql) {
    process.stdout.write(`left out: the MySQL half (${mysql.reason})\n`);
    return { open: [sqlite], close: async () => undefined };
  }
  return { open: [sqlite, { store: 'mysql', server_url: mysql.url }], close: () => mysql.stop() };
}
