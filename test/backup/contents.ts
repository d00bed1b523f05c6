import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import mysql from 'mysql2/promise';
import type { TestDatabase } from '../kit/index.ts';

type Value = string | number | bigint | null | Buffer;
interface Column {
  name: string;
  type: string;
  nullable: boolean;
}

/** Tables with the types of MySQL, which are the narrower ones. */
function schema(): Map<string, Column[]> {
  const text = readFileSync(join(import.meta.dirname, '../../plugins/platform/database/schema.mysql.txt'), 'utf8');
  const tables = new Map<string, Column[]>();
  let columns: Column[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    if (!line.startsWith(' ')) tables.set(line, (columns = []));
    else if (!/^ {2}(primary key|unique|index) .*\(/.test(line)) {
      const [name = '', type = ''] = line.trim().split(' ');
      columns.push({ name, type, nullable: !line.includes('not null') });
    }
  }
  return tables;
}

/** What says how a database is laid out: a restore makes it anew, so it is not among the rows of a copy. */
const LEDGER = ['kernel_migrations', 'kernel_migration_lock', 'kernel_layouts'];
const KEPT = [...LEDGER, 'vault_key_checks', 'artifacts_uploads', 'artifacts_caches'];
const ODD = 'ends with spaces  \u0000 ünïcode 🦊 "\\\n\u2028 \'; DROP';

/** A value that a column of this type can just hold. `n` makes rows of a table differ. */
function sampleOf(table: string, { name, type, nullable }: Column, n: number): Value {
  // Alike in both stores, but not said alike.
  if (table === 'runs_announcements' && name === 'terminal') return n === 1 ? 1 : 0;
  if (table === 'artifacts_files' && name === 'parts') return '[[0,9]]';
  if (nullable && n === 0) return null;
  if (type === 'smallint') return n - 1;
  if (type === 'int') return n * 2_147_483_647 - (n === 2 ? 2_147_483_647 * 2 : 0);
  if (/int/.test(type)) return [0, 9_007_199_254_740_991, -9_007_199_254_740_991][n]!;
  const length = Number(/\d+/.exec(type)?.[0] ?? 257);
  if (/blob|binary/.test(type)) return Buffer.from(Array.from({ length }, (_, at) => (at === 0 ? n : (at - 1) % 256)));
  return type === 'longtext' ? `${n} ${ODD}` : `${n}${'x'.repeat(length - 1)}`;
}

const ROWS = 3;

/** Puts rows with extreme values into every table. */
export async function fillAll(database: TestDatabase): Promise<void> {
  const statements: [string, Value[]][] = [];
  for (const [table, columns] of schema()) {
    if (KEPT.includes(table)) continue;
    const row = `(${columns.map(() => '?').join(', ')})`;
    const rows = Array.from({ length: ROWS }, (_, n) => columns.map((column) => sampleOf(table, column, n)));
    const into = `INSERT INTO ${table} (${columns.map(({ name }) => name).join(', ')})`;
    statements.push([`${into} VALUES ${rows.map(() => row).join(', ')}`, rows.flat()]);
  }
  await executeAll(database.url, statements);
}

export async function execute(url: string, sql: string, params: readonly Value[] = []): Promise<Value[][]> {
  return (await executeAll(url, [[sql, params]]))[0]!;
}

async function executeAll(url: string, statements: readonly (readonly [string, readonly Value[]])[]) {
  const found: Value[][][] = [];
  if (url.startsWith('sqlite:')) {
    const db = new DatabaseSync(url.slice('sqlite:'.length));
    for (const [sql, params] of statements) {
      const statement = db.prepare(sql);
      statement.setReturnArrays(true);
      statement.setReadBigInts(true);
      found.push(statement.all(...params) as unknown as Value[][]);
    }
    db.close();
    return found;
  }
  const connection = await mysql.createConnection({ uri: url, supportBigNumbers: true, bigNumberStrings: true });
  for (const [sql, values] of statements) {
    const [rows] = await connection.query({ sql, values: [...values], rowsAsArray: true });
    found.push(Array.isArray(rows) ? (rows as unknown as Value[][]) : []);
  }
  await connection.end();
  return found;
}

/** All rows of all tables as text, in an order of their own: the same for the same contents of both stores. */
export async function allRows(url: string): Promise<Record<string, string[]>> {
  const tables = [...schema()].filter(([table]) => !LEDGER.includes(table));
  const read = tables.map(
    ([table, columns]) => [`SELECT ${columns.map(({ name }) => name).join(', ')} FROM ${table}`, []] as const,
  );
  const found = await executeAll(url, read);
  return Object.fromEntries(
    tables.map(([table], index) => [table, found[index]!.map((row) => JSON.stringify(row.map(shown))).sort()]),
  );
}

/** Numbers as text: the driver of MySQL answers them so. */
const shown = (value: Value): unknown =>
  value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('hex') } : value === null ? null : String(value);
