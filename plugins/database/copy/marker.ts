import type { Database } from '../../../kernel/contracts/index.ts';
import { CopyErrors } from '../contract/copy-errors.ts';

/** A table that is there while a database is being filled: MySQL commits each change of a schema by itself. */
export const MARKER = 'kernel_restores';

export async function setMarker(database: Database): Promise<void> {
  await database.write(
    `CREATE TABLE ${MARKER} (place VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY) ENGINE=InnoDB`,
  );
}

export async function dropMarker(database: Database): Promise<void> {
  await database.write(`DROP TABLE ${MARKER}`);
}

/** The names of all tables of a MySQL database. */
export async function tablesOf(database: Database): Promise<string[]> {
  const rows = await database.read<{ name: string }>(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY table_name',
  );
  return rows.map(({ name }) => name);
}

/** Throws `restore_unfinished` when this database is being filled, or was when its restore died. */
export async function assertRestored(database: Database): Promise<void> {
  if (database.sql.family === 'sqlite') return;
  const rows = await database.read(
    `SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = '${MARKER}'`,
  );
  if (rows.length > 0) throw CopyErrors.unfinished(`the database still has the table ${MARKER}`);
}
