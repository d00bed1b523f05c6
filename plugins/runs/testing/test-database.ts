import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql from 'mysql2/promise';

export type Store = 'sqlite' | 'mysql';

const server = process.env.SVC_TEST_MYSQL_URL;

/** SQLite always, and MySQL when a server is configured; the gate says when it is not. */
export const STORES: readonly Store[] = server ? ['sqlite', 'mysql'] : ['sqlite'];

export interface TestDatabase {
  url: string;
  /** Ends its life. */
  drop(): Promise<void>;
}

/** An empty database that several servers may open: a file or one with a random name. */
export async function openTestDatabase(store: Store): Promise<TestDatabase> {
  if (store === 'sqlite' || !server) {
    const folder = await mkdtemp(join(tmpdir(), 'svc-runs-'));
    return { url: `sqlite:${join(folder, 'svc.db')}`, drop: () => rm(folder, { recursive: true }) };
  }
  const name = `svc_runs_${randomBytes(6).toString('hex')}`;
  const statement = async (text: string) => {
    const connection = await mysql.createConnection(server);
    await connection.query(text);
    await connection.end();
  };
  await statement(`CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => statement(`DROP DATABASE ${name}`) };
}
