import { existsSync } from 'node:fs';
import { link, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { RestoreTarget } from '../contract/copies.ts';
import { CopyErrors } from '../contract/copy-errors.ts';
import { syncFile } from '../contract/sync-file.ts';
import { SchemaLoader, type RestorePlan } from '../copy/schema-loader.ts';
import type { DatabaseDeps } from '../deps.ts';
import { type DatabaseHandle, openDatabase } from '../open-database.ts';
import { toServiceError } from './errors.ts';

const COMPANIONS = ['-wal', '-shm', '-journal'];

/** Opens a draft file for a restore. It gets the name of the database when it is complete. */
export async function openSqliteRestoreTarget(
  path: string,
  plan: RestorePlan,
  deps: DatabaseDeps,
): Promise<RestoreTarget> {
  if (path === ':memory:') throw CopyErrors.notEmpty('sqlite::memory: is lost when this process ends; use a file');
  assertFree(path);
  const draft = `${path}.restoring`;
  await removeFile(draft);
  const handle = await openDatabase({ database_url: `sqlite:${draft}` }, deps);
  return new SqliteRestoreTarget(handle, path, draft, new SchemaLoader(handle, plan));
}

/** SQLite would apply a WAL or journal that was left without its database to the new file. */
function assertFree(path: string): void {
  const companion = COMPANIONS.find((ending) => existsSync(path + ending));
  if (existsSync(path)) {
    const tables = tablesIn(path);
    if (tables > 0) throw CopyErrors.notEmpty(`${path} has ${tables} tables`);
    if (!companion) return;
  }
  if (companion)
    throw CopyErrors.notEmpty(`${path}${companion} belongs to a previous database; move it to another folder`);
}

function tablesIn(path: string): number {
  try {
    const db = new DatabaseSync(path, { readOnly: true });
    try {
      return Number(db.prepare('SELECT count(*) AS n FROM sqlite_master').get()!.n);
    } finally {
      db.close();
    }
  } catch (error) {
    throw toServiceError(error);
  }
}

async function removeFile(path: string): Promise<void> {
  for (const ending of ['', ...COMPANIONS]) await rm(path + ending, { force: true });
}

class SqliteRestoreTarget implements RestoreTarget {
  readonly family = 'sqlite';
  readonly #handle: DatabaseHandle;
  readonly #path: string;
  readonly #draft: string;
  readonly #loader: SchemaLoader;

  constructor(handle: DatabaseHandle, path: string, draft: string, loader: SchemaLoader) {
    this.#handle = handle;
    this.#path = path;
    this.#draft = draft;
    this.#loader = loader;
  }

  build(migrations: readonly string[]): Promise<void> {
    return this.#loader.build(migrations);
  }

  table(table: Parameters<RestoreTarget['table']>[0]) {
    return this.#loader.table(table);
  }

  /** Closing the last connection merges the WAL into the file. A link never replaces a file that has appeared meanwhile. */
  async finish(): Promise<string[]> {
    const applied = await this.#loader.finish();
    await this.#handle.close();
    await syncFile(this.#draft);
    assertFree(this.#path);
    // SQLite creates an empty file when somebody opens a database that does not exist.
    await rm(this.#path, { force: true });
    await link(this.#draft, this.#path);
    await removeFile(this.#draft);
    await syncFile(dirname(this.#path));
    return applied;
  }

  async abandon(): Promise<string | undefined> {
    await this.#handle.close();
    await removeFile(this.#draft);
    return undefined;
  }
}
