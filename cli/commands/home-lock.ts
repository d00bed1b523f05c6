import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CliError, Exit } from '../errors.ts';

/** Creates the folder if necessary, for its owner only, and opens the lock file. */
async function openLock(home: string): Promise<DatabaseSync> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await chmod(home, 0o700);
    return new DatabaseSync(join(home, 'lock'));
  } catch (error) {
    throw new CliError(
      Exit.failed,
      'home_unusable',
      `cannot write to ${home}: ${(error as Error).message}`,
      'name a folder that you can write to with --home',
    );
  }
}

/**
 * Locks a folder for this process and answers how to release it. It uses SQLite's lock, because the operating system
 * drops it whenever the process ends.
 */
export async function lockHome(home: string): Promise<() => void> {
  const lock = await openLock(home);
  try {
    lock.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS held (at INTEGER)',
    );
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== 5) throw error;
    throw new CliError(
      Exit.failed,
      'home_in_use',
      `another \`svc dev\` uses ${home}`,
      'use that one, stop it, or start this one in another folder (--home)',
    );
  }
  return () => lock.close();
}
