import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { CliError, Exit } from '../errors.ts';

const GROUP_AND_OTHERS = 0o077;

/**
 * Reads a file that holds a token. Returns undefined when there is none, and 'foreign' when it belongs to another user: a
 * file that somebody else has put into a folder above must not decide where our commands and tokens go. Throws
 * `profile_open` when others may read or write the file, and `profile_invalid` when it cannot be read.
 */
export async function readPrivate(path: string): Promise<{ text: string } | 'foreign' | undefined> {
  let file: FileHandle | undefined;
  try {
    // Opening a named pipe of somebody else would otherwise block forever.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const info = await file.stat();
    const { uid, mode } = info;
    if (uid !== process.getuid?.()) return 'foreign';
    if (!info.isFile()) throw profileInvalid(path, 'it is not a file');
    if ((mode & GROUP_AND_OTHERS) !== 0) throw openToOthers(path, mode);
    return { text: await file.readFile('utf8') };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof CliError) throw error;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    // A file that we may not even open belongs to somebody else.
    if (code === 'EACCES') return 'foreign';
    throw profileInvalid(path, message);
  } finally {
    await file?.close();
  }
}

export const profileInvalid = (path: string, reason: string): CliError =>
  new CliError(Exit.usage, 'profile_invalid', `${path} cannot be read: ${reason}`, 'remove it, then log in again');

const openToOthers = (path: string, mode: number): CliError =>
  new CliError(
    Exit.usage,
    'profile_open',
    `${path} holds a token, and other users may read or write it (mode ${(mode & 0o777).toString(8).padStart(4, '0')})`,
    `close it with \`chmod 600 ${path}\`; if other users had access to this machine, replace the token`,
  );
