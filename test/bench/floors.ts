import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import mysql2 from 'mysql2/promise';
import { median, times, together } from './statistics.ts';

const run = promisify(execFile);
const { PATH = '' } = process.env;
const PAYLOAD = 'x'.repeat(200);

/** Runs `work` in a folder that goes away, on the same file system as the databases that are measured. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-floor-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A new SQLite file as the service sets it up: WAL, `synchronous=FULL`. */
export const onFloorDatabase = <T>(schema: readonly string[], work: (database: DatabaseSync) => Promise<T> | T) =>
  inFolder(async (folder) => {
    const database = new DatabaseSync(join(folder, 'floor.db'));
    for (const line of ['PRAGMA journal_mode = WAL', 'PRAGMA synchronous = FULL', ...schema]) database.exec(line);
    try {
      return await work(database);
    } finally {
      database.close();
    }
  });

const ROWS = ['CREATE TABLE floor_rows (id INTEGER PRIMARY KEY, body TEXT)'];
const STATES = [
  'CREATE TABLE floor_rows (id TEXT PRIMARY KEY, state TEXT, body TEXT)',
  'CREATE INDEX floor_rows_state ON floor_rows (state)',
];
const INSERT = 'INSERT INTO floor_rows (id, body) VALUES (?, ?)';

/** Rows a second on SQLite (WAL, synchronous FULL), `batch` of them a commit. */
export const sqliteBatchedPerSecond = (batch: number, count: number): Promise<number> =>
  onFloorDatabase(ROWS, async (database) => {
    const insert = database.prepare(INSERT);
    const since = performance.now();
    for (let row = 0; row < count; row += batch) {
      database.exec('BEGIN IMMEDIATE');
      for (let id = row; id < row + batch; id += 1) insert.run(id, PAYLOAD);
      database.exec('COMMIT');
    }
    const seconds = (performance.now() - since) / 1000;
    return (Math.ceil(count / batch) * batch) / seconds;
  });

/** Milliseconds of one durable one-row commit on SQLite (WAL, synchronous FULL), median. */
export const sqliteInsertMs = (count: number): Promise<number> =>
  onFloorDatabase(ROWS, async (database) => {
    const insert = database.prepare(INSERT);
    const spans = await times(count, async (index) => insert.run(index, PAYLOAD));
    return median(spans);
  });

/** Milliseconds in which so many rows get another state, by key, on SQLite (WAL, synchronous FULL), `batch` a commit. */
export const sqliteBatchedUpdatesMs = (batch: number, count: number): Promise<number> =>
  onFloorDatabase(STATES, async (database) => {
    const insert = database.prepare(`INSERT INTO floor_rows (id, state, body) VALUES (?, 'armed', ?)`);
    const id = (row: number) => `run_${String(row).padStart(26, '0')}`;
    database.exec('BEGIN');
    for (let row = 0; row < count; row += 1) insert.run(id(row), PAYLOAD);
    database.exec('COMMIT');
    const update = database.prepare(`UPDATE floor_rows SET state = 'ended' WHERE id = ? AND state = 'armed'`);
    const since = performance.now();
    for (let row = 0; row < count; row += batch) {
      database.exec('BEGIN IMMEDIATE');
      for (let one = row; one < Math.min(row + batch, count); one += 1) update.run(id(one));
      database.exec('COMMIT');
    }
    const took = performance.now() - since;
    return took;
  });

/** One-row commits a second on MySQL over `connections` of them. */
export async function mysqlCommitsPerSecond(url: string, connections: number, count: number): Promise<number> {
  const pool = mysql2.createPool({ uri: url, connectionLimit: connections });
  try {
    await pool.query('CREATE TABLE floor_rows (id BIGINT PRIMARY KEY, body TEXT) ENGINE=InnoDB');
    const insert = (id: number) => pool.execute('INSERT INTO floor_rows (id, body) VALUES (?, ?)', [id, PAYLOAD]);
    await together(connections * 2, connections, (index) => insert(-1 - index));
    const since = performance.now();
    await together(count, connections, insert);
    return count / ((performance.now() - since) / 1000);
  } finally {
    await pool.query('DROP TABLE IF EXISTS floor_rows');
    await pool.end();
  }
}

/** Milliseconds from the start of a `bash` until its first line has arrived, median. */
const bashFirstLineMs = async (count: number): Promise<number> => {
  const once = async () => {
    const child = spawn('bash', ['-c', 'echo x'], { env: { PATH }, stdio: ['ignore', 'pipe', 'ignore'] });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.stdout.resume();
    await new Promise((resolve) => child.once('close', resolve));
  };
  await once();
  return median(await times(count, once));
};

/** Milliseconds of `node -e 0` from start to end, median, with the program that runs this. */
export const nodeStartMs = async (count: number): Promise<number> =>
  median(await times(count, () => run(process.execPath, ['-e', '0'], { env: { PATH } })));

/** Bytes resident in a Node that does nothing. */
export async function nodeResidentBytes(read: (pid: number) => Promise<number>): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'process.stdout.write("up"); setInterval(() => {}, 1e6)'], {
    env: { PATH },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    await once(child.stdout, 'data');
    return await read(child.pid!);
  } finally {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
}

/** Starts of a program a second by `shells` bashes at once; the middle of three. */
export async function startsPerSecond(shells: number, each: number, program = '/bin/true'): Promise<number> {
  const loop = `for ((i=0;i<${each};i++)); do ${program}; done`;
  const shell = () => run('bash', ['-c', loop], { env: { PATH } });
  const spans = await times(3, () => Promise.all(Array.from({ length: shells }, shell)));
  return (shells * each) / (median(spans) / 1000);
}

/** Megabytes a second of so many lines that this process reads from a pipe and drops; the middle of three. */
export async function pipedMbPerSecond(line: string, lines: number): Promise<number> {
  const spans = await times(3, async () => {
    const loop = `yes '${line.trimEnd()}' | head -n ${lines}`;
    const child = spawn('bash', ['-c', loop], { env: { PATH }, stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.resume();
    await once(child, 'close');
  });
  return (lines * line.length) / 1e6 / (median(spans) / 1000);
}

/** Milliseconds of `count` round trips of a short JSON line over a Unix socket that is kept open. */
export const roundTripsMs = (count: number): Promise<number> =>
  inFolder(async (folder) => {
    const path = join(folder, 's');
    const server = createServer((socket) =>
      socket.on('data', (chunk) => socket.write(JSON.stringify(JSON.parse(chunk.toString())) + '\n')),
    ).listen(path);
    await once(server, 'listening');
    const socket = createConnection(path);
    await once(socket, 'connect');
    const since = performance.now();
    for (let id = 0; id < count; id += 1) {
      socket.write(`${JSON.stringify({ id, op: 'begin', kind: 'step', name: 'x' })}\n`);
      await new Promise((resolve) => socket.once('data', resolve));
    }
    const took = performance.now() - since;
    socket.destroy();
    server.close();
    await once(server, 'close');
    return took;
  });

/** What a run costs at least until its first line: a start of bash and two durable inserts. */
export const firstLineFloor = async (starts: number, inserts: number): Promise<{ value: number; is: string }> => ({
  value: (await bashFirstLineMs(starts)) + 2 * (await sqliteInsertMs(inserts)),
  is: 'start of bash + 2 durable inserts',
});
