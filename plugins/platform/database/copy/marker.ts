import type { Database } from '../../../../kernel/contracts/index.ts';
import { CopyErrors } from '../contract/copy-errors.ts';

/** This table exists while a restore fills the database. MySQL commits each schema change, so a transaction cannot hide it. */
export const MARKER = 'kernel_restores';

export async function setMarker(database: Database): Promise<void> {
  await database.write(
    `CREATE TABLE ${MARKER} (place VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY) ENGINE=InnoDB`,
  );
}

export async function dropMarker(database: Database): Promise<void> {
  await database.write(`DROP TABLE ${MARKER}`);
}

/** Returns the names of all tables of a MySQL database. */
export async function tablesOf(database: Database): Promise<string[]> {
  const rows = await database.read<{ name: string }>(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY table_name',
  );
  return rows.map(({ name }) => name);
}

/** Throws `restore_unfinished` while a restore fills this database, and when one was interrupted. */
export async function assertRestored(database: Database): Promise<void> {
  if (database.sql.family === 'sqlite') return;
  const rows = await database.read(
    `SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = '${MARKER}'`,
  );
  if (rows.length > 0) throw CopyErrors.unfinished(`the database still has the table ${MARKER}`);
}
