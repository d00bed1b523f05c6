import { reasonOf } from '../kit/needs.ts';
import { startMysql } from '../support/mysql-server.ts';
import { lackOf, type LeftOut } from './left-out.ts';

export interface GateDatabase {
  store: 'sqlite' | 'mysql';
  /** Address of the server, without a database; empty for SQLite. */
  server_url: string;
}

export interface Databases {
  open: GateDatabase[];
  left_out: LeftOut[];
  close: () => Promise<void>;
}

/** SQLite always; MySQL when one is configured or on the machine. */
export async function openDatabases(): Promise<Databases> {
  const sqlite: GateDatabase = { store: 'sqlite', server_url: '' };
  const mysql = await startMysql();
  if ('reason' in mysql) {
    const lack = lackOf(reasonOf(['mariadbd'], mysql.reason))!;
    return { open: [sqlite], left_out: [{ part: 'features on mysql', ...lack }], close: async () => undefined };
  }
  return { open: [sqlite, { store: 'mysql', server_url: mysql.url }], left_out: [], close: () => mysql.stop() };
}
