import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CliError, Exit } from '../../command.ts';

/** Makes the folder when it is not there, for its owner only, and opens the file that is locked. */
async function openLock(home: string): Promise<DatabaseSync> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await chmod(home, 0o700);
    return new DatabaseSync(join(home, 'lock'));
  } catch (error) {
    throw new CliError(
      Exit.failed,
      'home_unusable',
      `cannot keep anything in ${home}: ${(error as Error).message}`,
      'name a folder of yours with --home',
    );
  }
}

/**
 * Takes a folder for this process alone and answers how to give it back. SQLite's own lock serves, because the
 * operating system drops it whenever and however the process ends.
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
