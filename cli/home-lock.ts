import { existsSync } from 'node:fs';
import { chmod, mkdir, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { CliError, Exit } from './errors.ts';

/** SQLite's code for a lock that another process has (SQLITE_BUSY). */
const SQLITE_BUSY = 5;

/** Every command loads this module and few lock anything, so SQLite is loaded only when one does. */
function openFile(path: string): DatabaseSync {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  return new DatabaseSync(path);
}

/** Creates the folder if necessary, with access for its owner only, and opens the lock file. */
async function openLock(home: string): Promise<DatabaseSync> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await chmod(home, 0o700);
    return openFile(join(home, 'lock'));
  } catch (error) {
    throw new CliError(
      Exit.failed,
      'home_unusable',
      `cannot write to ${home}: ${(error as Error).message}`,
      'choose a folder that you can write to with --home',
    );
  }
}

/**
 * Locks a folder for this process and returns the function that unlocks it. It uses a lock of SQLite, because the operating
 * system releases that whenever the process ends.
 */
export async function lockHome(home: string): Promise<() => void> {
  const lock = await openLock(home);
  try {
    lock.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS held (at INTEGER)',
    );
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new CliError(
      Exit.failed,
      'home_in_use',
      `another \`svc dev\` is using ${home}`,
      'use that one, stop it, or start this one in another folder (--home)',
    );
  }
  return () => lock.close();
}

/** Throws when the database lies in the folder of a `svc dev` that runs. */
export async function assertDatabaseFree(database_url: string | undefined): Promise<void> {
  const url = database_url || 'sqlite:.svc/svc.db';
  if (!url.startsWith('sqlite:') || url === 'sqlite::memory:') return;
  const path = resolve(url.slice('sqlite:'.length));
  // SQLite follows symbolic links too. A broken one is reported when the database is opened.
  const file = await realpath(path).catch(() => path);
  if (isLocked(join(dirname(file), 'lock')))
    throw new CliError(
      Exit.failed,
      'home_in_use',
      `a running \`svc dev\` is using the database ${path}`,
      'stop that process, or set SVC_DATABASE_URL to another database',
    );
}

/** Returns false for a file of that name that is not such a lock, and for one that we may not open. */
function isLocked(file: string): boolean {
  if (!existsSync(file)) return false;
  let lock: DatabaseSync | undefined;
  try {
    lock = openFile(file);
    lock.exec('BEGIN EXCLUSIVE; ROLLBACK');
    return false;
  } catch (error) {
    const { errcode } = error as { errcode?: number };
    if (errcode === undefined) throw error;
    return errcode === SQLITE_BUSY;
  } finally {
    lock?.close();
  }
}
