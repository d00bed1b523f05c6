import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import mysql2 from 'mysql2/promise';
import { startPrivateMysql } from '../support/mysql-server.ts';
import { shapeOf } from './shape.ts';

/**
 * Writes every statement that a command sends to a MySQL-family server, one a line, each shape once:
 * `node test/sql/collect.ts <file> <program> [arguments]`. The command gets the server in SVC_TEST_MYSQL_URL; the
 * statements are those of the server's own log, so that none is missed.
 */
const HEAD = /^(?:\d{6} +\d+:\d\d:\d\d)?\t+ *\d+ (\w+(?: \w+)?)\t(.*)$/;

async function main(): Promise<void> {
  const [file, program, ...args] = process.argv.slice(2);
  if (!file || !program) throw new Error('usage: node test/sql/collect.ts <file> <program> [arguments]');
  const server = await startPrivateMysql();
  if ('reason' in server) throw new Error(server.reason);
  const folder = await mkdtemp(join(tmpdir(), 'svc-sql-'));
  try {
    const log = join(folder, 'general.log');
    await logTo(server.url, log);
    const env = { ...process.env, SVC_TEST_MYSQL_URL: server.url };
    const child = spawn(program, args, { env, stdio: 'inherit' });
    const [code] = (await once(child, 'close')) as [number | null];
    const shapes = await shapesOf(log);
    await writeFile(file, shapes.map((shape) => `${shape}\n`).join(''));
    process.stdout.write(`${shapes.length} statements in ${file}\n`);
    process.exitCode = code ?? 1;
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function logTo(url: string, file: string): Promise<void> {
  const { hostname: host, port, username: user } = new URL(url);
  const connection = await mysql2.createConnection({ host, port: Number(port), user });
  await connection.query("SET GLOBAL log_output = 'FILE'");
  await connection.query('SET GLOBAL general_log_file = ?', [file]);
  await connection.query('SET GLOBAL general_log = 1');
  await connection.end();
}

async function shapesOf(log: string): Promise<string[]> {
  const shapes = new Set<string>();
  let statement: string | undefined;
  const close = () => {
    if (statement !== undefined) shapes.add(shapeOf(statement));
    statement = undefined;
  };
  for await (const line of createInterface({ input: createReadStream(log), crlfDelay: Number.POSITIVE_INFINITY })) {
    const [, command, text] = HEAD.exec(line) ?? [];
    if (command === undefined) {
      if (statement !== undefined) statement += `\n${line}`;
      continue;
    }
    close();
    // An executed statement was prepared before.
    if (command === 'Query' || command === 'Prepare') statement = text;
  }
  close();
  return [...shapes].sort();
}

await main();
