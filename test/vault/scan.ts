import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';

/** Where one of the needles is, as `what: the needle's surroundings`; empty when nowhere. */
export function hits(what: string, data: Buffer, needles: readonly Buffer[]): string[] {
  const found = needles.find((needle) => data.includes(needle));
  if (!found) return [];
  const at = data.indexOf(found);
  return [`${what} at ${at}: …${data.subarray(Math.max(0, at - 60), at + 40).toString('latin1')}…`];
}

export interface Scan {
  hits: string[];
  /** Where they are to be: without any, the scan would find nothing anywhere. */
  expected?: number;
  /** How much was looked at, so that a scan of nothing does not count. */
  files: number;
  bytes: number;
}

/** Every file below a folder. */
export async function scanFolder(folder: string, needles: readonly Buffer[]): Promise<Scan> {
  const scan: Scan = { hits: [], files: 0, bytes: 0 };
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const data = await readFile(path).catch(() => undefined); // It went away meanwhile, as journals of SQLite do.
    if (data === undefined) continue;
    scan.files += 1;
    scan.bytes += data.length;
    scan.hits.push(...hits(path, data, needles));
  }
  return scan;
}

/** Every row of every table. */
export async function scanMysql(url: string, needles: readonly Buffer[]): Promise<Scan> {
  const connection = await createConnection(url);
  const scan: Scan = { hits: [], files: 0, bytes: 0 };
  try {
    const [tables] = await connection.query<RowDataPacket[]>('SHOW TABLES');
    for (const table of tables.map((row) => String(Object.values(row)[0]))) {
      const [rows] = await connection.query<RowDataPacket[]>(`SELECT * FROM \`${table}\``);
      for (const value of rows.flatMap((row) => Object.values(row) as unknown[])) {
        const data = Buffer.isBuffer(value) ? value : Buffer.from(String(value));
        scan.bytes += data.length;
        scan.hits.push(...hits(table, data, needles));
      }
      scan.files += 1;
    }
  } finally {
    await connection.end();
  }
  return scan;
}

/**
 * Arguments of every process of this machine that is ours or a child of ours, and the environment of those that are
 * no part of a script.
 */
export async function scanProcesses(roots: readonly number[], needles: readonly Buffer[]): Promise<Scan> {
  const scan: Scan = { hits: [], files: 0, bytes: 0 };
  for (const pid of await familyOf(roots)) {
    const [args, environment] = await Promise.all(
      ['cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`).catch(() => Buffer.alloc(0))),
    );
    const name = `process ${pid} (${await readlink(`/proc/${pid}/exe`).catch(() => 'gone')})`;
    scan.hits.push(...hits(`arguments of ${name}`, args!, needles));
    const script = environment!.includes('SVC_ACTIVITY_ID=');
    if (script) scan.expected = (scan.expected ?? 0) + hits(name, environment!, needles).length;
    else scan.hits.push(...hits(`environment of ${name}`, environment!, needles));
    scan.files += script ? 1 : 2;
    scan.bytes += args!.length + (script ? 0 : environment!.length);
  }
  return scan;
}

async function familyOf(roots: readonly number[]): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    // The name of a program may hold anything; what follows it begins behind the last parenthesis.
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0));
  }
  const family = new Set(roots);
  for (let before = -1; before !== family.size; ) {
    before = family.size;
    for (const [pid, parent] of parents) if (family.has(parent)) family.add(pid);
  }
  return [...family];
}
