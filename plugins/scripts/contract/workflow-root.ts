import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** The folder that the files of a workflow come from. What lies elsewhere on the machine is not read for it. */
export interface WorkflowRoot {
  /** As people know it. */
  readonly said: string;
  /** Without links. */
  readonly real: string;
  /** What to do about a file that lies elsewhere. */
  readonly next: string;
}

const OWN = 'copy it below the folder of the workflow, or name a folder that holds both with --root <folder>';
const CHOSEN = 'copy it below that folder, or name a wider one with --root <folder>';

/** A file that a workflow names, and that lies outside of its root. */
export class OutsideFault extends Error {
  readonly next: string;

  constructor(named: string, real: string, { said, next }: WorkflowRoot) {
    const seen = named === real ? '' : ` (it is ${real})`;
    super(`${named} lies outside of ${said}${seen}, and nothing from there goes along`);
    this.next = next;
  }
}

/** A folder of `--root` that cannot be one. */
export class RootFault extends Error {
  readonly next = '--root names a folder that the workflow and all of its files lie in';
}

/** True for a folder itself and for all that lies below it. Both without links. */
export function isWithin(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below === '' || !(below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below));
}

/**
 * The root of a workflow: its own folder, or the one that its caller chose. Throws `RootFault`, and `OutsideFault` for a
 * workflow that lies outside of the chosen folder.
 */
export async function rootOf(workflow: string, chosen?: string): Promise<WorkflowRoot> {
  const folder = dirname(resolve(workflow));
  if (chosen === undefined) return { said: folder, real: await realOrItself(folder), next: OWN };
  const said = resolve(chosen);
  const found = await stat(said).catch((error: NodeJS.ErrnoException) => {
    throw new RootFault(
      `--root ${chosen} cannot be used: ${error.code === 'ENOENT' ? 'there is no such folder' : error.message}`,
    );
  });
  if (!found.isDirectory()) throw new RootFault(`--root ${chosen} cannot be used: it is no folder`);
  const root = { said, real: await realpath(said), next: CHOSEN };
  const real = await realOrItself(folder);
  if (!isWithin(root.real, real)) throw new OutsideFault(workflow, real, root);
  return root;
}

/** The folder of a script whose links are resolved already. */
export const ownRoot = (folder: string): WorkflowRoot => ({ said: folder, real: folder, next: OWN });

/** A folder that is not there holds nothing, which whoever opens a file of it says. */
const realOrItself = (folder: string): Promise<string> =>
  realpath(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'EACCES') return folder;
    throw error;
  });

/** The real path of what a workflow names. Throws `OutsideFault`, and what `realpath` throws. */
export async function realWithin(root: WorkflowRoot, path: string, named: string): Promise<string> {
  const real = await realpath(path);
  if (!isWithin(root.real, real)) throw new OutsideFault(named, real, root);
  return real;
}

/**
 * Opens a file that a workflow names, for reading. A pipe does not hold it up. Links are followed as long as they lead
 * nowhere outside; of a folder that somebody exchanges for a link meanwhile, the file that was really opened is looked at.
 * `allowed` may take places outside of the root. Throws `OutsideFault`, and what `open` throws.
 */
export async function openWithin(
  root: WorkflowRoot,
  path: string,
  named: string,
  allowed: (real: string) => boolean = (real) => isWithin(root.real, real),
): Promise<FileHandle> {
  const real = await realpath(path);
  if (!allowed(real)) throw new OutsideFault(named, real, root);
  const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const opened = await openedPath(file, real);
    if (!allowed(opened)) throw new OutsideFault(named, opened, root);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Where an open file lies. Without /proc it is looked for by its path once more. */
async function openedPath(file: FileHandle, path: string): Promise<string> {
  const known = await readlink(join('/proc/self/fd', String(file.fd))).catch(() => undefined);
  if (known !== undefined) return known;
  const real = await realpath(path);
  const [own, there] = await Promise.all([file.stat(), stat(real)]);
  return own.dev === there.dev && own.ino === there.ino ? real : sep;
}
