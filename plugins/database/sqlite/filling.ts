import { existsSync } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Filling } from '../contract/copies.ts';
import { CopyErrors } from '../contract/copy-errors.ts';
import { Loading, type Wanted } from '../copy/loading.ts';
import type { DatabaseDeps } from '../deps.ts';
import { type DatabaseHandle, openDatabase } from '../open-database.ts';
import { sqliteFault } from './faults.ts';

const COMPANIONS = ['-wal', '-shm', '-journal'];

/** Fills a file beside the wanted one, which appears under its name when it is complete. */
export async function sqliteFilling(path: string, wanted: Wanted, deps: DatabaseDeps): Promise<Filling> {
  if (path === ':memory:') throw CopyErrors.notEmpty('sqlite::memory: is gone with this process; name a file');
  assertFree(path);
  const draft = `${path}.restoring`;
  await removeFile(draft);
  const handle = await openDatabase({ database_url: `sqlite:${draft}` }, deps);
  return new SqliteFilling(handle, path, draft, new Loading(handle, wanted));
}

/** A log without its file would be taken for one of the new file. */
function assertFree(path: string): void {
  const companion = COMPANIONS.find((ending) => existsSync(path + ending));
  if (existsSync(path)) {
    const tables = tablesIn(path);
    if (tables > 0) throw CopyErrors.notEmpty(`${path} has ${tables} tables`);
    if (!companion) return;
  }
  if (companion)
    throw CopyErrors.notEmpty(`${path}${companion} belongs to a database that was there; move it to another folder`);
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
    throw sqliteFault(error);
  }
}

async function removeFile(path: string): Promise<void> {
  for (const ending of ['', ...COMPANIONS]) await rm(path + ending, { force: true });
}

class SqliteFilling implements Filling {
  readonly family = 'sqlite';
  readonly #handle: DatabaseHandle;
  readonly #path: string;
  readonly #draft: string;
  readonly #loading: Loading;

  constructor(handle: DatabaseHandle, path: string, draft: string, loading: Loading) {
    this.#handle = handle;
    this.#path = path;
    this.#draft = draft;
    this.#loading = loading;
  }

  build(migrations: readonly string[]): Promise<void> {
    return this.#loading.build(migrations);
  }

  table(table: Parameters<Filling['table']>[0]) {
    return this.#loading.table(table);
  }

  /** The last connection puts the log into the file. A link never replaces a file that appeared meanwhile. */
  async finish(): Promise<string[]> {
    const applied = await this.#loading.finish();
    await this.#handle.close();
    await sync(this.#draft);
    assertFree(this.#path);
    // An empty file, as SQLite makes it for whoever looks into one that is not there.
    await rm(this.#path, { force: true });
    await link(this.#draft, this.#path);
    await removeFile(this.#draft);
    await sync(dirname(this.#path));
    return applied;
  }

  async abandon(): Promise<string | undefined> {
    await this.#handle.close();
    await removeFile(this.#draft);
    return undefined;
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
