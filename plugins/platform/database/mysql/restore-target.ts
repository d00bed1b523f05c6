import type { RestoreTarget } from '../contract/copies.ts';
import { CopyErrors } from '../contract/copy-errors.ts';
import { SchemaLoader, type RestorePlan } from '../copy/schema-loader.ts';
import { dropMarker, MARKER, setMarker, tablesOf } from '../copy/marker.ts';
import type { DatabaseDeps } from '../deps.ts';
import { type DatabaseHandle, openDatabase } from '../open-database.ts';
import type { MysqlAddress } from '../url.ts';

/** Opens a database without tables for a restore. Until it is complete, a marker table keeps servers away. */
export async function openMysqlRestoreTarget(
  address: MysqlAddress,
  database_url: string,
  plan: RestorePlan,
  deps: DatabaseDeps,
): Promise<RestoreTarget> {
  const handle = await openDatabase({ database_url }, deps);
  try {
    const tables = await tablesOf(handle.database);
    if (tables.includes(MARKER))
      throw CopyErrors.unfinished(`the database ${address.database} has the table ${MARKER}`);
    if (tables.length > 0)
      throw CopyErrors.notEmpty(
        `the database ${address.database} has ${tables.length} tables; the first is ${tables[0]}`,
      );
    await setMarker(handle.database);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return new MysqlRestoreTarget(handle, address.database, new SchemaLoader(handle, plan));
}

class MysqlRestoreTarget implements RestoreTarget {
  readonly family = 'mysql';
  readonly #handle: DatabaseHandle;
  readonly #name: string;
  readonly #loader: SchemaLoader;

  constructor(handle: DatabaseHandle, name: string, loader: SchemaLoader) {
    this.#handle = handle;
    this.#name = name;
    this.#loader = loader;
  }

  build(migrations: readonly string[]): Promise<void> {
    return this.#loader.build(migrations);
  }

  table(table: Parameters<RestoreTarget['table']>[0]) {
    return this.#loader.table(table);
  }

  async finish(): Promise<string[]> {
    const applied = await this.#loader.finish();
    await dropMarker(this.#handle.database);
    await this.#handle.close();
    return applied;
  }

  /** Drops all tables, and the marker last. */
  async abandon(): Promise<string | undefined> {
    const { database } = this.#handle;
    try {
      const tables = (await tablesOf(database)).filter((name) => name !== MARKER);
      for (const name of [...tables, MARKER]) await database.write(`DROP TABLE ${name}`);
      return undefined;
    } catch (error) {
      const reason = (error as Error).message;
      return `the database could not be emptied again (${reason}): run DROP DATABASE ${this.#name} and create it again`;
    } finally {
      await this.#handle.close();
    }
  }
}
