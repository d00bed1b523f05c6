import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import mysql2, { type Connection } from 'mysql2/promise';
import { inFolder } from './floors.ts';

/**
 * What the machine itself can do, measured with nothing of the service in the way. Every figure of the service is
 * stated as a ratio to one of these, taken in the same run.
 */
export interface Floor {
  /** Median of one operation. */
  p50_ms: number;
  p99_ms: number;
  per_s: number;
}

const run = promisify(execFile);
const PAYLOAD = Buffer.alloc(200, 7);
const BATCH = 128;

const row = (n: number) => [`run_${String(n).padStart(26, '0')}`, n, PAYLOAD] as const;
const values = (count: number) => Array.from({ length: count }, () => '(?, ?, ?)').join(', ');

/** From the duration of every operation, and the time in which all of them were done. */
export function floorOf(durations_ms: readonly number[], total_ms: number, operations = durations_ms.length): Floor {
  const sorted = [...durations_ms].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50_ms: at(0.5), p99_ms: at(0.99), per_s: (operations / total_ms) * 1000 };
}

/** A file as the service sets it up: WAL, `synchronous=FULL`. */
function openFile(folder: string): {
  insert: (n: number) => void;
  insertMany: (from: number, count: number) => void;
  close: () => void;
} {
  const db = new DatabaseSync(join(folder, 'floor.db'));
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  db.exec('CREATE TABLE floor_rows (id TEXT NOT NULL PRIMARY KEY, n INTEGER NOT NULL, body BLOB NOT NULL)');
  const one = db.prepare('INSERT INTO floor_rows VALUES (?, ?, ?)');
  const many = db.prepare(`INSERT INTO floor_rows VALUES ${values(BATCH)}`);
  return {
    insert: (n) => void one.run(...row(n)),
    insertMany: (from, count) => void many.run(...Array.from({ length: count }, (_, i) => row(from + i)).flat()),
    close: () => db.close(),
  };
}

function repeat(count: number, operation: (n: number) => void, rows_each = 1): Floor {
  const durations: number[] = [];
  const started = performance.now();
  for (let n = 0; n < count; n++) {
    const before = performance.now();
    operation(n);
    durations.push(performance.now() - before);
  }
  return floorOf(durations, performance.now() - started, count * rows_each);
}

/** One row, one commit, on the disk. */
export const sqliteInsert = (count = 3000): Promise<Floor> =>
  inFolder(async (folder) => {
    const file = openFile(folder);
    const floor = repeat(count, (n) => file.insert(n));
    file.close();
    return floor;
  });

/** 128 rows a statement and commit; `per_s` counts rows. */
export const sqliteBatchedInsert = (batches = 300): Promise<Floor> =>
  inFolder(async (folder) => {
    const file = openFile(folder);
    const floor = repeat(batches, (n) => file.insertMany(n * BATCH, BATCH), BATCH);
    file.close();
    return floor;
  });

const SERVER_TABLE =
  'CREATE TABLE floor_rows (id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY, n BIGINT NOT NULL, body LONGBLOB NOT NULL) ENGINE=InnoDB';

async function onServer<T>(url: string, count: number, work: (connections: Connection[]) => Promise<T>): Promise<T> {
  const connections = await Promise.all(Array.from({ length: count }, () => mysql2.createConnection(url)));
  try {
    await connections[0]!.query(SERVER_TABLE);
    return await work(connections).finally(() => connections[0]!.query('DROP TABLE floor_rows'));
  } finally {
    await Promise.all(connections.map((connection) => connection.end()));
  }
}

/** Every caller in turn takes the next number until `count` are done. */
async function share(
  count: number,
  callers: readonly ((n: number) => Promise<unknown>)[],
  rows_each = 1,
): Promise<Floor> {
  const durations: number[] = [];
  let next = 0;
  const started = performance.now();
  await Promise.all(
    callers.map(async (call) => {
      while (next < count) {
        const n = next++;
        const before = performance.now();
        await call(n);
        durations.push(performance.now() - before);
      }
    }),
  );
  return floorOf(durations, performance.now() - started, count * rows_each);
}

/** One row, one commit, by prepared statements on `connections` at once. `url` names a database to use. */
export const serverInsert = (url: string, connections = 32, count = 10_000): Promise<Floor> =>
  onServer(url, connections, (open) =>
    share(
      count,
      open.map((connection) => (n) => connection.execute('INSERT INTO floor_rows VALUES (?, ?, ?)', [...row(n)])),
    ),
  );

/** 128 rows a statement and commit on one connection; `per_s` counts rows. */
export const serverBatchedInsert = (url: string, batches = 300): Promise<Floor> =>
  onServer(url, 1, (open) =>
    share(
      batches,
      open.map((connection) => (n) => {
        const rows = Array.from({ length: BATCH }, (_, i) => row(n * BATCH + i)).flat();
        return connection.execute(`INSERT INTO floor_rows VALUES ${values(BATCH)}`, rows);
      }),
      BATCH,
    ),
  );

/** `/bin/true` run by a bash that is warm, which is what any step of a script costs at least. */
export async function spawnByBash(count = 300): Promise<Floor> {
  const script = `t() { t0=$EPOCHREALTIME; /bin/true; t1=$EPOCHREALTIME; echo $(( \${t1/[.,]/} - \${t0/[.,]/} )); }
    for i in {1..20}; do /bin/true; done; for ((i = 0; i < $1; i++)); do t; done`;
  const started = performance.now();
  // A certificate bundle in the environment only concerns Node; left out so that the figure is bash's own.
  const { NODE_EXTRA_CA_CERTS: _left_out, ...env } = process.env;
  const { stdout } = await run('bash', ['-c', script, 'bash', String(count)], { env });
  const durations = stdout
    .trim()
    .split('\n')
    .map((microseconds) => Number(microseconds) / 1000);
  return floorOf(durations, performance.now() - started);
}

/** One JSON line each way on a kept Unix socket, with a durable SQLite insert before the answer. */
export const socketInsert = (count = 2000): Promise<Floor> =>
  inFolder(async (folder) => {
    const file = openFile(folder);
    const path = join(folder, 'floor.sock');
    const server = createServer((socket) => {
      socket.on('data', (line) => {
        const { n } = JSON.parse(line.toString()) as { n: number };
        file.insert(n);
        socket.write(`${JSON.stringify({ ok: n })}\n`);
      });
    }).listen(path);
    await once(server, 'listening');
    const client = connect(path);
    await once(client, 'connect');
    const floor = await share(count, [
      async (n) => {
        client.write(`${JSON.stringify({ n, op: 'append' })}\n`);
        await once(client, 'data');
      },
    ]);
    client.destroy();
    server.close();
    file.close();
    return floor;
  });

/** Every floor by name; those of a server only with the address of a database on it. */
export async function allFloors(mysql_url?: string): Promise<Record<string, Floor>> {
  return {
    sqlite_insert: await sqliteInsert(),
    sqlite_batched_insert: await sqliteBatchedInsert(),
    ...(mysql_url
      ? {
          server_insert_1: await serverInsert(mysql_url, 1, 2000),
          server_insert_32: await serverInsert(mysql_url, 32),
          server_batched_insert: await serverBatchedInsert(mysql_url),
        }
      : {}),
    bash_spawn_true: await spawnByBash(),
    socket_insert: await socketInsert(),
  };
}

/** `node test/bench/database-floors.ts [mysql://…/database]` prints them. */
if (process.argv[1] === import.meta.filename) console.table(await allFloors(process.argv[2]));
