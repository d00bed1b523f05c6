import { DatabaseSync } from 'node:sqlite';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { hits } from './scan.ts';

export interface ColumnScan {
  /** `table.column`, with what was found there. */
  found: Map<string, string>;
  tables: number;
  values: number;
}

type Row = Record<string, unknown>;

/** Looks for the needles in every column of every row of every table. */
export async function scanColumns(database_url: string, needles: readonly Buffer[]): Promise<ColumnScan> {
  const scan: ColumnScan = { found: new Map(), tables: 0, values: 0 };
  const take = (table: string, rows: readonly Row[]) => {
    scan.tables += 1;
    for (const row of rows)
      for (const [column, value] of Object.entries(row)) {
        scan.values += 1;
        const data = value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value));
        const [hit] = hits(`${table}.${column}`, data, needles);
        if (hit !== undefined && !scan.found.has(`${table}.${column}`)) scan.found.set(`${table}.${column}`, hit);
      }
  };
  if (database_url.startsWith('mysql')) await ofMysql(database_url, take);
  else ofSqlite(database_url.slice('sqlite:'.length), take);
  return scan;
}

function ofSqlite(path: string, take: (table: string, rows: readonly Row[]) => void): void {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all() as { name: string }[];
    for (const { name } of tables) take(name, database.prepare(`SELECT * FROM "${name}"`).all() as Row[]);
  } finally {
    database.close();
  }
}

async function ofMysql(url: string, take: (table: string, rows: readonly Row[]) => void): Promise<void> {
  const connection = await createConnection(url);
  try {
    const [tables] = await connection.query<RowDataPacket[]>('SHOW TABLES');
    for (const table of tables.map((row) => String(Object.values(row)[0]))) {
      const [rows] = await connection.query<RowDataPacket[]>(`SELECT * FROM \`${table}\``);
      take(table, rows);
    }
  } finally {
    await connection.end();
  }
}
