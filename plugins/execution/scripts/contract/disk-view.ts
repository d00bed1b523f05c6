import { constants, type Dirent, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

/** The files that a script may name to its agent. */
export interface DiskView {
  /** Opens a file or folder. All three methods throw like their counterparts in Node. */
  open(path: string, flags: number): Promise<FileHandle>;
  /** Returns the stats of a path, without following a symbolic link. */
  lstat(path: string): Promise<Stats>;
  readdir(path: string): Promise<Dirent[]>;
}

/** All files of the machine that the agent's user may read, for programs that run as this user without isolation. */
export const unrestrictedDisk: DiskView = {
  open: (path, flags) => open(path, flags),
  lstat: (path) => lstat(path),
  readdir: (path) => readdir(path, { withFileTypes: true }),
};

/** Missing in Node's list, and the same on every Linux. */
export const O_PATH = 0o10000000;

/** A disk view whose way of opening a path decides what is in it; everything else is read from what was opened. */
export abstract class OpeningDiskView implements DiskView {
  abstract open(path: string, flags: number): Promise<FileHandle>;

  async lstat(path: string): Promise<Stats> {
    const file = await this.open(path, O_PATH);
    try {
      return await file.stat();
    } finally {
      await file.close();
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

/** A folder as the program sees it, and its location on the machine. */
export interface VisibleFolder {
  visible_path: string;
  real_path: string;
}

/**
 * Shows only what is below these folders, as an isolated program sees them. No symbolic link is followed anywhere in
 * a path, because the program may replace folders by links while the agent reads, and the agent may read more than
 * the program.
 */
export class FolderDiskView extends OpeningDiskView {
  readonly #folders: readonly VisibleFolder[];

  /** Longer paths win, so that a folder within another one may be elsewhere. */
  constructor(folders: readonly VisibleFolder[]) {
    super();
    this.#folders = folders.toSorted((a, b) => b.visible_path.length - a.visible_path.length);
  }

  async open(path: string, flags: number): Promise<FileHandle> {
    const absolute_path = resolve(path);
    const folder = this.#folders.find(
      ({ visible_path }) => absolute_path === visible_path || absolute_path.startsWith(visible_path + sep),
    );
    if (!folder) throw accessError(path, 'an isolated run can name only files in its own folders');
    const names = relative(folder.visible_path, absolute_path).split(sep).filter(Boolean);
    return await openWithoutLinks(folder.real_path, names, flags, path);
  }
}

/**
 * Works like openat2 with RESOLVE_NO_SYMLINKS, which Node does not offer: each name is looked up in the open folder
 * before it.
 */
async function openWithoutLinks(
  root: string,
  names: readonly string[],
  flags: number,
  shown_path: string,
): Promise<FileHandle> {
  const filename = names.at(-1);
  if (filename === undefined) return await open(root, flags | constants.O_NOFOLLOW);
  let at = await open(root, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    for (const name of names.slice(0, -1)) {
      const below = await open(childPath(at, name), O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
      await at.close();
      at = below;
    }
    return await open(childPath(at, filename), flags | constants.O_NOFOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // With O_DIRECTORY, a link is reported as not being a folder.
    if (code === 'ELOOP' || code === 'ENOTDIR') throw accessError(shown_path, 'a symbolic link is not followed', code);
    throw error;
  } finally {
    await at.close();
  }
}

export const childPath = ({ fd }: FileHandle, name: string): string => join('/proc/self/fd', String(fd), name);

export function accessError(path: string, reason: string, code = 'EACCES'): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${reason}: ${path}`), { code, reason });
}

/** Resolves an absolute or relative name. */
export const pathIn = (cwd: string, name: string): string => (isAbsolute(name) ? resolve(name) : resolve(cwd, name));
