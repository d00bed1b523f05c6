import type { Filling } from '../contract/copies.ts';
import { CopyErrors } from '../contract/copy-errors.ts';
import { Loading, type Wanted } from '../copy/loading.ts';
import { dropMarker, MARKER, setMarker, tablesOf } from '../copy/marker.ts';
import type { DatabaseDeps } from '../deps.ts';
import { type DatabaseHandle, openDatabase } from '../open-database.ts';
import type { MysqlAddress } from '../url.ts';

/** Fills a database without tables. Until it is complete a table in it keeps servers away. */
export async function mysqlFilling(
  address: MysqlAddress,
  database_url: string,
  wanted: Wanted,
  deps: DatabaseDeps,
): Promise<Filling> {
  const handle = await openDatabase({ database_url }, deps);
  try {
    const tables = await tablesOf(handle.database);
    if (tables.includes(MARKER))
      throw CopyErrors.unfinished(`the database ${address.database} has the table ${MARKER}`);
    if (tables.length > 0)
      throw CopyErrors.notEmpty(
        `the database ${address.database} has ${tables.length} tables, the first is ${tables[0]}`,
      );
    await setMarker(handle.database);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return new MysqlFilling(handle, address.database, new Loading(handle, wanted));
}

class MysqlFilling implements Filling {
  readonly family = 'mysql';
  readonly #handle: DatabaseHandle;
  readonly #name: string;
  readonly #loading: Loading;

  constructor(handle: DatabaseHandle, name: string, loading: Loading) {
    this.#handle = handle;
    this.#name = name;
    this.#loading = loading;
  }

  build(migrations: readonly string[]): Promise<void> {
    return this.#loading.build(migrations);
  }

  table(table: Parameters<Filling['table']>[0]) {
    return this.#loading.table(table);
  }

  async finish(): Promise<string[]> {
    const applied = await this.#loading.finish();
    await dropMarker(this.#handle.database);
    await this.#handle.close();
    return applied;
  }

  /** The marker goes last. */
  async abandon(): Promise<string | undefined> {
    const { database } = this.#handle;
    try {
      const tables = (await tablesOf(database)).filter((name) => name !== MARKER);
      for (const name of [...tables, MARKER]) await database.write(`DROP TABLE ${name}`);
      return undefined;
    } catch (error) {
      const reason = (error as Error).message;
      return `the database could not be emptied again (${reason}): DROP DATABASE ${this.#name}, and create it anew`;
    } finally {
      await this.#handle.close();
    }
  }
}
