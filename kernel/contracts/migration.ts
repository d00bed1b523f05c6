import type { Migration } from './database.ts';

/**
 * Column types of both families, which a statement writes as `{word}`. MySQL's binary collations ignore trailing spaces, so a
 * text that a caller chose is never compared: rows are found by its digest, or it is stored as bytes.
 */
const COLUMNS: Record<string, { sqlite: string; mysql: string }> = {
  /** Ids, digests, ASCII names without spaces, and constants of the service. These may be compared. */
  id: { sqlite: 'TEXT', mysql: 'VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin' },
  word: { sqlite: 'TEXT', mysql: 'VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin' },
  /** An id and a position. */
  part: { sqlite: 'TEXT', mysql: 'VARCHAR(96) CHARACTER SET ascii COLLATE ascii_bin' },
  /** An org id and a digest. */
  lane: { sqlite: 'TEXT', mysql: 'VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin' },
  /** At most 255 characters that a caller chose. They are displayed and never compared. */
  name: { sqlite: 'TEXT', mysql: 'VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' },
  /** Compared byte by byte; written and read as Buffers. */
  bytes: { sqlite: 'BLOB', mysql: 'VARBINARY(1020)' },
  text: { sqlite: 'TEXT', mysql: 'LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' },
  blob: { sqlite: 'BLOB', mysql: 'LONGBLOB' },
  /** Epoch milliseconds. */
  ms: { sqlite: 'INTEGER', mysql: 'BIGINT' },
  int: { sqlite: 'INTEGER', mysql: 'BIGINT' },
  flag: { sqlite: 'INTEGER', mysql: 'SMALLINT' },
  end: { sqlite: '', mysql: ' ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin' },
};

/**
 * Makes a migration from statements whose column types are `{words}` of the table above. The oldest migrations have separate
 * texts for each family instead, because an applied statement must never change.
 */
export function migration(
  name: string,
  statements: readonly string[] | Omit<Migration, 'name'>,
  options: Pick<Migration, 'additive'> = {},
): Migration {
  if ('sqlite' in statements) return { name, ...statements, ...options };
  const write = (family: 'sqlite' | 'mysql') =>
    statements.map((statement) => statement.replaceAll(/\{(\w+)\}/g, (_, word: string) => COLUMNS[word]![family]));
  return { name, sqlite: write('sqlite'), mysql: write('mysql'), ...options };
}

/** Adds the column that `Transaction.lock` needs. */
export const lockable = (table: string): string =>
  `ALTER TABLE ${table} ADD COLUMN lock_version {int} NOT NULL DEFAULT 0`;

/**
 * Statements for SQLite that change the order of a table's columns, which are written as in CREATE TABLE. SQLite reaches a
 * column by walking through the values before it, so large columns belong at the end. The table is missing in between: writes
 * of a server of the previous version fail then, and are not lost.
 */
export function reordered(
  table: string,
  { columns, key, indexes }: { columns: string; key: string; indexes: readonly string[] },
): string[] {
  const names = columns.split(',').map((column) => column.trim().split(/\s/, 1)[0]);
  return [
    `ALTER TABLE ${table} RENAME TO ${table}_old`,
    `CREATE TABLE ${table}_new (${columns}, PRIMARY KEY (${key}))`,
    `INSERT INTO ${table}_new SELECT ${names.join(', ')} FROM ${table}_old`,
    `DROP TABLE ${table}_old`,
    ...indexes.map((index) => index.replace(` ON ${table} `, ` ON ${table}_new `)),
    `ALTER TABLE ${table}_new RENAME TO ${table}`,
  ];
}
