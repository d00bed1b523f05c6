import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { O_PATH, OpeningRoom, refused, through } from '../contract/file-room.ts';
import type { UserIds } from '../native/frames.ts';

/** What lies there is checked by other rules than those of files. */
const OF_THE_KERNEL = ['/proc', '/sys'];
const READ = 4;
/** Of a folder; of a program that it may be started. */
export const ENTER = 1;

/** As the kernel decides, without access lists. */
export function allows(user: UserIds, { uid, gid, mode }: Stats, wanted: number): boolean {
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
  return ((mode >> shift) & wanted) !== 0;
}

/**
 * What a user of the machine may read, opened by an agent that may read everything. Each name of a path is looked up in the
 * open folder before it, which this user may enter; no symbolic link is followed, because it would have to be looked up in the
 * same way.
 */
export class UserRoom extends OpeningRoom {
  readonly #user: UserIds;

  constructor(user: UserIds) {
    super();
    this.#user = user;
  }

  async open(path: string, flags: number): Promise<FileHandle> {
    const found = await this.#reach(path);
    // That it is a link somebody may want to know.
    if ((flags & O_PATH) !== 0) return found;
    try {
      const stat = await found.stat();
      if (stat.isSymbolicLink()) throw refused(path, LINK, 'ELOOP');
      if (!stat.isFile() && !stat.isDirectory()) throw refused(path, 'it is no regular file');
      this.#check(stat, READ, path);
      return await open(`/proc/self/fd/${found.fd}`, flags & ~constants.O_NOFOLLOW);
    } finally {
      await found.close();
    }
  }

  /** What lies at the path, opened for nothing. */
  async #reach(path: string): Promise<FileHandle> {
    const whole = resolve(path);
    if (OF_THE_KERNEL.some((folder) => whole === folder || whole.startsWith(folder + sep)))
      throw refused(path, 'files of the kernel are not read for a run');
    const names = whole.split(sep).filter(Boolean);
    let at = await open('/', O_PATH | constants.O_DIRECTORY);
    try {
      for (const [nth, name] of names.entries()) {
        this.#check(await at.stat(), ENTER, path);
        const folder = nth === names.length - 1 ? 0 : constants.O_DIRECTORY;
        const below = await open(through(at, name), O_PATH | constants.O_NOFOLLOW | folder);
        await at.close();
        at = below;
      }
      return at;
    } catch (error) {
      await at.close();
      const { code, reason } = error as NodeJS.ErrnoException & { reason?: string };
      // What is a link is no folder for O_DIRECTORY.
      if (reason === undefined && (code === 'ELOOP' || code === 'ENOTDIR')) throw refused(path, LINK, code);
      throw error;
    }
  }

  #check(found: Stats, wanted: number, path: string): void {
    if (!allows(this.#user, found, wanted)) throw refused(path, 'permission denied');
  }
}

const LINK = 'a symbolic link is not followed';
