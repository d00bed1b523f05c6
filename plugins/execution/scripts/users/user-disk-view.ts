import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { O_PATH, OpeningDiskView, accessError, childPath } from '../contract/disk-view.ts';
import type { UserIds } from '../native/frames.ts';

/** The files there are protected by other rules than their modes. */
const KERNEL_FOLDERS = ['/proc', '/sys'];
const READ = 4;
/** On a folder, the right to enter it; on a program, the right to start it. */
export const ENTER = 1;

/** Decides as the kernel does, but ignores access lists. */
export function hasPermission(user: UserIds, { uid, gid, mode }: Stats, permission: number): boolean {
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
  return ((mode >> shift) & permission) !== 0;
}

/**
 * Opens files with the rights of a user of the machine, although the agent itself may read everything. Each name of a
 * path is looked up in the open folder before it, which this user must be allowed to enter. No symbolic link is
 * followed, because its target would have to be looked up in the same way.
 */
export class UserDiskView extends OpeningDiskView {
  readonly #user: UserIds;

  constructor(user: UserIds) {
    super();
    this.#user = user;
  }

  async open(path: string, flags: number): Promise<FileHandle> {
    const target = await this.#openTarget(path);
    // The caller may want to know that it is a link.
    if ((flags & O_PATH) !== 0) return target;
    try {
      const stat = await target.stat();
      if (stat.isSymbolicLink()) throw accessError(path, LINK, 'ELOOP');
      if (!stat.isFile() && !stat.isDirectory()) throw accessError(path, 'it is not a regular file');
      this.#check(stat, READ, path);
      return await open(`/proc/self/fd/${target.fd}`, flags & ~constants.O_NOFOLLOW);
    } finally {
      await target.close();
    }
  }

  /** Opens what lies at the path without the right to read it. */
  async #openTarget(path: string): Promise<FileHandle> {
    const absolute_path = resolve(path);
    if (KERNEL_FOLDERS.some((folder) => absolute_path === folder || absolute_path.startsWith(folder + sep)))
      throw accessError(path, 'kernel files are not read for a run');
    const names = absolute_path.split(sep).filter(Boolean);
    let at = await open('/', O_PATH | constants.O_DIRECTORY);
    try {
      for (const [nth, name] of names.entries()) {
        this.#check(await at.stat(), ENTER, path);
        const folder = nth === names.length - 1 ? 0 : constants.O_DIRECTORY;
        const below = await open(childPath(at, name), O_PATH | constants.O_NOFOLLOW | folder);
        await at.close();
        at = below;
      }
      return at;
    } catch (error) {
      await at.close();
      const { code, reason } = error as NodeJS.ErrnoException & { reason?: string };
      // With O_DIRECTORY, a link fails as no folder does.
      if (reason === undefined && (code === 'ELOOP' || code === 'ENOTDIR')) throw accessError(path, LINK, code);
      throw error;
    }
  }

  #check(stats: Stats, permission: number, path: string): void {
    if (!hasPermission(this.#user, stats, permission)) throw accessError(path, 'permission denied');
  }
}

const LINK = 'a symbolic link is not followed';
