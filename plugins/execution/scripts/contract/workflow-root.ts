import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type Environment, findServicePaths, type ServicePath } from './service-paths.ts';

/** The folder in which the files of a workflow must be. Nothing elsewhere on the machine is read for it. */
export interface WorkflowRoot {
  /** The path as people know it. */
  readonly shown_path: string;
  /** The path without links. */
  readonly real: string;
  /** What to do about a file that is elsewhere. */
  readonly next: string;
  /** The files of svc on the machine that submits, wherever they are. */
  readonly service_paths: readonly ServicePath[];
}

const DEFAULT_ROOT_HINT = "copy it into the workflow's folder, or use --root <folder> with a folder that contains both";
const CHOSEN_ROOT_HINT = 'copy it into that folder, or use --root <folder> to name a parent folder';

/** A workflow names a file outside of its root. */
export class OutsideFault extends Error {
  readonly next: string;

  constructor(named: string, real: string, { shown_path, next }: WorkflowRoot) {
    const seen = named === real ? '' : ` (it is ${real})`;
    super(`${named} is outside ${shown_path}${seen}; files there are not included`);
    this.next = next;
  }
}

/** Folders with secrets, and what they are for. Addresses of repositories often contain tokens. */
const PRIVATE_FOLDERS: ReadonlyMap<string, string> = new Map([
  ['.svc', 'where svc keeps keys and logins'],
  ['.git', 'where git keeps addresses and logins'],
  ['.hg', 'where Mercurial keeps addresses and logins'],
  ['.svn', 'where Subversion keeps addresses and logins'],
]);
/** Settings of a job that name its work and no secret. */
const WORK_SETTINGS: readonly string[] = ['SVC_AGENT_WORKDIR', 'SVC_WORKSPACE', 'SVC_INPUT_FILE'];

/** A workflow names a file with secrets, which its author may not read, whoever submits it. */
export class PrivateFileError extends OutsideFault {
  /** The path of the file without links. */
  readonly real: string;
  /** The name of the file and why it is private. */
  readonly reason: string;

  constructor(named: string, real: string, root: WorkflowRoot) {
    super(named, real, { ...root, next: "move the workflow's files to another folder" });
    this.real = real;
    this.reason = `${named} ${describePrivate(root, real)}`;
    this.message = `${this.reason}; it is not included`;
  }
}

/** True for what is in a folder of svc or git that the root is not in, and for files of svc. Both paths must be without links. */
export const isPrivateFile = (root: WorkflowRoot, path: string): boolean => describePrivate(root, path) !== undefined;

/** Returns why a file is private; undefined if it is not. */
function describePrivate({ real: root, service_paths }: WorkflowRoot, path: string): string | undefined {
  // Of a package above the root, only the folders that the root does not lie in itself.
  const names = relative(root, path).toLowerCase().split(sep);
  const folder = names.find((name) => PRIVATE_FOLDERS.has(name));
  if (folder !== undefined) return `is in a folder ${folder}, ${PRIVATE_FOLDERS.get(folder)}`;
  // A workflow that is inside such a folder itself may use its own files.
  const service_path = service_paths.find((one) => isWithin(one.path, path) && !isWithin(one.path, root));
  return service_path && `is a file of svc (${service_path.origin})`;
}

/** The folder of `--root` cannot be used. */
export class RootFault extends Error {
  readonly next = '--root must be a folder that contains the workflow and all of its files';
}

/** True for a folder itself and for everything below it. Both paths must be without links. */
export function isWithin(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below === '' || !(below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below));
}

export interface RootOptions {
  /** The folder of `--root`. */
  chosen?: string | undefined;
  /** The settings of the process that reads the files: what they name is never read. */
  env: Environment;
}

/**
 * Returns the root of a workflow: its own folder, or the one that its caller chose. Throws `RootFault`, and
 * `OutsideFault` for a workflow outside of the chosen folder.
 */
export async function resolveRoot(workflow: string, { chosen, env }: RootOptions): Promise<WorkflowRoot> {
  const folder = dirname(resolve(workflow));
  const settings = Object.entries(env).filter(([name]) => !WORK_SETTINGS.includes(name));
  const service_paths = findServicePaths(Object.fromEntries(settings));
  if (chosen === undefined)
    return { shown_path: folder, real: await resolveIfExists(folder), next: DEFAULT_ROOT_HINT, service_paths };
  const said = resolve(chosen);
  const stats = await stat(said).catch((error: NodeJS.ErrnoException) => {
    throw new RootFault(
      `--root ${chosen} cannot be used: ${error.code === 'ENOENT' ? 'there is no such folder' : error.message}`,
    );
  });
  if (!stats.isDirectory()) throw new RootFault(`--root ${chosen} cannot be used: it is not a folder`);
  const root: WorkflowRoot = { shown_path: said, real: await realpath(said), next: CHOSEN_ROOT_HINT, service_paths };
  const real = await resolveIfExists(folder);
  if (!isWithin(root.real, real)) throw new OutsideFault(workflow, real, root);
  return root;
}

/** Returns the folder of a script as its root; links must be resolved already. */
export const defaultRoot = (folder: string): WorkflowRoot => ({
  shown_path: folder,
  real: folder,
  next: DEFAULT_ROOT_HINT,
  service_paths: [],
});

/** A missing folder contains nothing, which shows when somebody opens a file in it. */
const resolveIfExists = (folder: string): Promise<string> =>
  realpath(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'EACCES') return folder;
    throw error;
  });

/** Returns the real path of what a workflow names. Throws `OutsideFault`, and whatever `realpath` throws. */
export async function resolveWithin(root: WorkflowRoot, path: string, named: string): Promise<string> {
  const real = await realpath(path);
  if (!isWithin(root.real, real)) throw new OutsideFault(named, real, root);
  if (isPrivateFile(root, real)) throw new PrivateFileError(named, real, root);
  return real;
}

/**
 * Opens a file that a workflow names for reading, without blocking on a pipe. Links are followed as long as they lead
 * nowhere outside; if somebody replaces a folder by a link meanwhile, the file that was really opened is checked.
 * `allowed` may accept locations outside of the root, but files of svc itself are never opened. Throws `OutsideFault`,
 * and whatever `open` throws.
 */
export async function openWithin(
  root: WorkflowRoot,
  path: string,
  named: string,
  allowed: (real: string) => boolean = (real) => isWithin(root.real, real),
): Promise<FileHandle> {
  const assertAllowed = (file_path: string) => {
    if (!allowed(file_path)) throw new OutsideFault(named, file_path, root);
    if (isPrivateFile(root, file_path)) throw new PrivateFileError(named, file_path, root);
  };
  const real = await realpath(path);
  assertAllowed(real);
  const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const open_path = await findOpenPath(file, real);
    assertAllowed(open_path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Returns the path of an open file. Without /proc its path is resolved once more. */
async function findOpenPath(file: FileHandle, path: string): Promise<string> {
  const proc_path = await readlink(join('/proc/self/fd', String(file.fd))).catch(() => undefined);
  if (proc_path !== undefined) return proc_path;
  const real = await realpath(path);
  const [file_stats, path_stats] = await Promise.all([file.stat(), stat(real)]);
  return file_stats.dev === path_stats.dev && file_stats.ino === path_stats.ino ? real : sep;
}
