import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectToServer } from './mysql-dump.ts';
import { reasonOf } from './needs.ts';

export type Store = 'sqlite' | 'mysql';

const server = process.env.SVC_TEST_MYSQL_URL;

/** Only this one, where a run of many files shares them between the stores. */
const only = process.env.SVC_TEST_STORE;

/**
 * SQLite, and MySQL when SVC_TEST_MYSQL_URL names a server: `for (const store of STORES) test(store, …)`. Says once on
 * standard error when MySQL is left out. SVC_TEST_STORE names one of the two.
 */
export const STORES: Iterable<Store> = {
  *[Symbol.iterator]() {
    if (only !== 'mysql') yield 'sqlite';
    if (only === 'sqlite') return;
    if (server) yield 'mysql';
    else sayLeftOut();
  },
};

let said = false;
function sayLeftOut(): void {
  if (!said)
    process.stderr.write(`left out: the MySQL half (${reasonOf(['mariadbd'], 'SVC_TEST_MYSQL_URL is not set')})\n`);
  said = true;
}

/** An empty database with a random name, which several servers may open. */
export interface TestDatabase {
  url: string;
  /** The key that its servers share, as SVC_MASTER_KEY takes it. */
  master_key: string;
  /** Removes it, also while somebody uses it. */
  drop(): Promise<void>;
}

/** Creates a database: a file in a temporary folder, or one on the server of SVC_TEST_MYSQL_URL. */
export async function openTestDatabase(store: Store = 'sqlite'): Promise<TestDatabase> {
  const master_key = randomBytes(32).toString('base64');
  if (store === 'sqlite') {
    const folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
    const drop = () => rm(folder, { recursive: true, force: true });
    return { url: `sqlite:${join(folder, 'svc.db')}`, master_key, drop };
  }
  if (!server) throw new Error('set SVC_TEST_MYSQL_URL to a server that tests may create databases on');
  const name = `svc_test_${randomBytes(6).toString('hex')}`;
  const url = new URL(server);
  await onServer(url, `CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
  const named = new URL(server);
  named.pathname = `/${name}`;
  return { url: named.href, master_key, drop: () => onServer(url, `DROP DATABASE IF EXISTS ${name}`) };
}

async function onServer(url: URL, statement: string): Promise<void> {
  const connection = await connectToServer(url);
  try {
    await connection.query(statement);
  } finally {
    await connection.end();
  }
}
