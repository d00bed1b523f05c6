import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { createDatabase, startMysql } from '../../../test/support/mysql-server.ts';
import type { Clock, Database, Ids, Log } from '../../../kernel/contracts/index.ts';
import { type DatabaseHandle, openDatabase } from './open-database.ts';
import { createIds, systemClock } from '../../../test/kit/services.ts';
import { omit } from '../../../test/kit/needs.ts';

/** One kind of database; `fresh` creates an empty one. */
export interface Engine {
  name: string;
  fresh(): Promise<{ url: string; drop(): Promise<void> }>;
}

export interface RecordedLog extends Log {
  lines: string[];
}

export function recordedLog(): RecordedLog {
  const lines: string[] = [];
  const write = (fields: Record<string, unknown>, message: string) => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
  };
  const log: RecordedLog = { lines, debug: write, info: write, warn: write, error: write, child: () => log };
  return log;
}

const file: Engine = {
  name: 'SQLite file',
  fresh: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-database-'));
    return { url: `sqlite:${join(folder, 'svc.db')}`, drop: () => rm(folder, { recursive: true, force: true }) };
  },
};

const memory: Engine = {
  name: 'SQLite memory',
  fresh: async () => ({ url: 'sqlite::memory:', drop: async () => undefined }),
};

/** Runs a suite on every engine of this machine. Says when MySQL is left out. */
export async function onEngines(
  t: Test,
  suite: (t: Test, engine: Engine) => Promise<void>,
  wanted: { memory?: boolean } = {},
): Promise<void> {
  for (const engine of wanted.memory ? [file, memory] : [file]) await t.test(engine.name, (t) => suite(t, engine));
  const server = await startMysql();
  if ('reason' in server) {
    omit(t, 'MySQL', 'mariadbd', server.reason);
    return;
  }
  t.teardown(() => server.stop());
  await t.test('MySQL', (t) => suite(t, { name: 'MySQL', fresh: () => createDatabase(server.url) }));
}

export interface Opened extends DatabaseHandle {
  url: string;
  clock: Clock;
  ids: Ids;
  log: RecordedLog;
}

export async function openAt(url: string, given: { clock?: Clock } = {}): Promise<Opened> {
  const log = recordedLog();
  const clock = given.clock ?? systemClock;
  const ids = createIds(clock);
  return { ...(await openDatabase({ database_url: url }, { clock, log, ids })), url, clock, ids, log };
}

/** An empty database. It is closed and removed when the test ends. */
export async function openFresh(t: Test, engine: Engine): Promise<Opened> {
  const { url, drop } = await engine.fresh();
  const handle = await openAt(url);
  t.teardown(async () => {
    await handle.close();
    await drop();
  });
  return handle;
}

/** A table of two columns, and one with every type that the service stores. */
export async function makeTables(database: Database): Promise<void> {
  const my = database.sql.family === 'mysql';
  const id = my ? 'VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin' : 'TEXT';
  const name = my ? 'VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : 'TEXT';
  const text = my ? 'LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : 'TEXT';
  await database.write(
    `CREATE TABLE test_counts (id ${id} NOT NULL PRIMARY KEY, n BIGINT NOT NULL, lock_version BIGINT NOT NULL DEFAULT 0)`,
  );
  await database.write(
    `CREATE TABLE test_values (id ${id} NOT NULL PRIMARY KEY, name ${name}, body ${text}, n BIGINT, f DOUBLE, b ${my ? 'LONGBLOB' : 'BLOB'})`,
  );
}

/** Opens a database until the test ends. */
export async function openFor(t: Test, url: string, given: { clock?: Clock } = {}): Promise<Opened> {
  const handle = await openAt(url, given);
  t.teardown(() => handle.close());
  return handle;
}

/** Rows of the table `test_counts`. */
export async function countRows({ database }: Opened): Promise<number> {
  return (await database.read<{ c: number }>('SELECT COUNT(*) AS c FROM test_counts'))[0]!.c;
}
