import { constants, type Dirent, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

/** The files that a script may name to its agent. */
export interface FileRoom {
  /** Opens a file or folder. All three throw as their namesakes of Node do. */
  open(path: string, flags: number): Promise<FileHandle>;
  /** What lies there; of a symbolic link, the link. */
  lstat(path: string): Promise<Stats>;
  readdir(path: string): Promise<Dirent[]>;
}

/** All files of the machine that the agent's user may read: the room of programs that run as this user, unisolated. */
export const wholeMachine: FileRoom = {
  open: (path, flags) => open(path, flags),
  lstat: (path) => lstat(path),
  readdir: (path) => readdir(path, { withFileTypes: true }),
};

/** Not in Node's list; the same on every Linux. */
export const O_PATH = 0o10000000;

/** A room whose own way to open a path decides what is in it: everything else is asked of what was opened. */
export abstract class OpeningRoom implements FileRoom {
  abstract open(path: string, flags: number): Promise<FileHandle>;

  async lstat(path: string): Promise<Stats> {
    const found = await this.open(path, O_PATH);
    try {
      return await found.stat();
    } finally {
      await found.close();
    }
  }

  async readdir(path: string): Promise<Dirent[]> {
    const folder = await this.open(path, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      return await readdir(`/proc/self/fd/${folder.fd}`, { withFileTypes: true });
    } finally {
      await folder.close();
    }
  }
}

/** A folder that the program sees, and where it lies on the machine. */
export interface SeenFolder {
  seen: string;
  lies: string;
}

/**
 * Only what is below these folders, as an isolated program sees them. No symbolic link is followed, at any place of a path:
 * the program may exchange folders for links while the agent reads, and the agent may read more than the program.
 */
export class FoldersOnly extends OpeningRoom {
  readonly #folders: readonly SeenFolder[];

  /** Longer paths win, so that a folder within another one may lie elsewhere. */
  constructor(folders: readonly SeenFolder[]) {
    super();
    this.#folders = folders.toSorted((a, b) => b.seen.length - a.seen.length);
  }

  async open(path: string, flags: number): Promise<FileHandle> {
    const whole = resolve(path);
    const folder = this.#folders.find(({ seen }) => whole === seen || whole.startsWith(seen + sep));
    if (!folder) throw refused(path, 'an isolated run can name only files of its own folders');
    const names = relative(folder.seen, whole).split(sep).filter(Boolean);
    return await openBelow(folder.lies, names, flags, path);
  }
}

/** As openat2 with RESOLVE_NO_SYMLINKS, which Node does not offer: each name is looked up in the open folder before it. */
async function openBelow(root: string, names: readonly string[], flags: number, given: string): Promise<FileHandle> {
  const last = names.at(-1);
  if (last === undefined) return await open(root, flags | constants.O_NOFOLLOW);
  let at = await open(root, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    for (const name of names.slice(0, -1)) {
      const below = await open(through(at, name), O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
      await at.close();
      at = below;
    }
    return await open(through(at, last), flags | constants.O_NOFOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // What is a link is no folder for O_DIRECTORY.
    if (code === 'ELOOP' || code === 'ENOTDIR') throw refused(given, 'a symbolic link is not followed', code);
    throw error;
  } finally {
    await at.close();
  }
}

export const through = ({ fd }: FileHandle, name: string): string => join('/proc/self/fd', String(fd), name);

export function refused(path: string, reason: string, code = 'EACCES'): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${reason}: ${path}`), { code, reason });
}

/** The path of an absolute or relative name. */
export const pathIn = (cwd: string, name: string): string => (isAbsolute(name) ? resolve(name) : resolve(cwd, name));
