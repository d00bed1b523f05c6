import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { includedPathFault, MAX_INCLUDED_FILES } from '../../../engine/runs/contract.ts';
import { type DiskView, unrestrictedDisk } from '../contract/disk-view.ts';
import {
  isPrivateFile,
  isWithin,
  OutsideFault,
  PrivateFileError,
  resolveWithin,
  type WorkflowRoot,
} from '../contract/workflow-root.ts';
import { includeInvalid, includeMissing, includeOutside } from '../errors.ts';
import { tooManyFiles } from './too-large.ts';

/** A file to include: its path next to the script, and its current path. */
export interface IncludeCandidate {
  path: string;
  real_path: string;
  size: number;
  executable: boolean;
}

/** What a script includes. */
export interface IncludeRequest {
  /** The path of the script, or of any file in its folder. */
  script: string;
  includes: readonly string[];
  /** The folder to which a relative script path refers. */
  cwd: string;
  /** The files that may be read; undefined for every file of the machine, where links are followed within the root. */
  disk_view?: DiskView | undefined;
  /** Where the files may lie, and links lead if there is no `disk_view`. */
  root: WorkflowRoot;
}

/**
 * Files that programs and editors leave in folders, and what must stay private. A file that is named explicitly is
 * included, but never one with secrets (`PrivateFileError`).
 */
const EXCLUDED_NAMES = new Set(['.git', '.svc', '.hg', '.svn', '__pycache__', '.DS_Store']);
/** Maximum entries examined; above that there are too many files anyway. */
const MAX_EXAMINED = 20 * MAX_INCLUDED_FILES;

/** What was found in the included files and folders. */
export interface FoundFiles {
  /** In path order. */
  candidates: IncludeCandidate[];
  /** Private files in included folders, each as `<path> <why it is private>`. */
  left_out: string[];
}

/**
 * Returns the files that a script includes, by path relative to its own folder. A private file that is named itself is
 * rejected; one in an included folder is left out. Throws `include_missing`, `include_outside`, `include_invalid` and
 * `include_too_large`.
 */
export async function findIncluded(request: IncludeRequest): Promise<FoundFiles> {
  const script = resolve(request.cwd, request.script);
  const collector = new IncludeCollector(script, request);
  for (const include of request.includes) await collector.include(include);
  return { candidates: collector.sortedFiles(), left_out: collector.left_out };
}

/** An entry: where its author sees it, where it really is, and what the author calls it. */
interface Entry {
  location: string;
  real: string;
  named: string;
}

class IncludeCollector {
  readonly #root: string;
  readonly #script: string;
  readonly #request: IncludeRequest;
  readonly #disk_view: DiskView;
  readonly #files = new Map<string, IncludeCandidate>();
  readonly #allowed_root: WorkflowRoot;
  readonly #left_out = new Map<string, PrivateFileError>();

  constructor(script: string, request: IncludeRequest) {
    this.#root = dirname(script);
    this.#script = script;
    this.#request = request;
    this.#disk_view = request.disk_view ?? unrestrictedDisk;
    this.#allowed_root = request.root;
  }

  get left_out(): string[] {
    return [...this.#left_out.values()].map(({ reason }) => reason);
  }

  sortedFiles(): IncludeCandidate[] {
    return [...this.#files.values()].toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  }

  async include(include: string): Promise<void> {
    if (include === '') throw includeMissing('an empty string does not name a file to include');
    if (isAbsolute(include)) throw includeOutside(`${include} is absolute; write it relative to ${this.#root}`);
    if (include.split('/').includes('..')) throw includeOutside(`${include} is outside the script's folder`);
    const location = join(this.#root, include);
    const before = this.#files.size;
    const left_out_before = this.#left_out.size;
    await this.#visitEntry({ location, real: await this.#resolveParents(location, include), named: include }, []);
    if (this.#files.size > before || !(await this.#isFolder(location))) return;
    const [first] = [...this.#left_out.values()].slice(left_out_before);
    throw first ? includeOutside(first.message) : includeMissing(`${include} contains no files to include`);
  }

  async #isFolder(location: string): Promise<boolean> {
    return (await this.#disk_view.lstat(location)).isDirectory() && !this.#hasFileBelow(location);
  }

  /** Whether something below was included before. */
  #hasFileBelow(location: string): boolean {
    const below = relative(this.#root, location);
    return [...this.#files.keys()].some((path) => below === '' || path.startsWith(`${below}/`));
  }

  /** Resolves the links in the folders above an entry; a link itself is left for the visit. */
  async #resolveParents(location: string, named: string): Promise<string> {
    if (this.#request.disk_view || location === this.#root) return location;
    const folder = await realpath(dirname(location)).catch(async (error: NodeJS.ErrnoException) => {
      throw await this.#notFoundError(named, error);
    });
    if (!isWithin(this.#allowed_root.real, folder))
      throw includeOutside(new OutsideFault(named, join(folder, basename(location)), this.#allowed_root).message);
    return join(folder, basename(location));
  }

  /** `above` contains the real folders around the entry, to detect circular links. */
  async #visitEntry({ location, real: at, named }: Entry, above: readonly string[]): Promise<void> {
    const stats = await this.#disk_view.lstat(at).catch(async (error: NodeJS.ErrnoException) => {
      throw await this.#notFoundError(named, error);
    });
    const real = stats.isSymbolicLink() ? await this.#resolveLink(at, named) : at;
    if (isPrivateFile(this.#allowed_root, real)) {
      const fault = new PrivateFileError(named, real, this.#allowed_root);
      // Who includes a folder does not mean the private files in it; who names one does.
      if (above.length === 0) throw includeOutside(fault.message);
      this.#left_out.set(location, fault);
      if (this.#left_out.size > MAX_EXAMINED) throw tooManyFiles([...this.#left_out.keys()]);
      return;
    }
    const target_stats = real === at ? stats : await this.#disk_view.lstat(real);
    if (target_stats.isDirectory()) return this.#visitFolder({ location, real, named }, above);
    if (!target_stats.isFile()) throw includeInvalid(`${named} is not a regular file`);
    if (location === this.#script) return;
    const path = relative(this.#root, location).split(sep).join('/');
    const problem = includedPathFault(path);
    if (problem !== undefined) throw includeInvalid(`${JSON.stringify(path)} cannot be included: it ${problem}`);
    this.#files.set(path, {
      path,
      real_path: real,
      size: target_stats.size,
      executable: (target_stats.mode & 0o100) !== 0,
    });
    if (this.#files.size > MAX_EXAMINED) throw tooManyFiles([...this.#files.keys()]);
  }

  async #visitFolder({ location, real, named }: Entry, above: readonly string[]): Promise<void> {
    if (above.includes(real)) throw includeInvalid(`${named} is a link to a folder that contains it`);
    const entries = await this.#disk_view.readdir(real).catch((error: NodeJS.ErrnoException) => {
      throw includeMissing(`${named} cannot be read: ${error.message}`);
    });
    for (const { name } of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (EXCLUDED_NAMES.has(name)) continue;
      const below: Entry = { location: join(location, name), real: join(real, name), named: join(named, name) };
      await this.#visitEntry(below, [...above, real]);
    }
  }

  /** Returns what a link points to, even if it is private. Throws `include_outside` if it is not in the root. */
  async #resolveLink(location: string, named: string): Promise<string> {
    if (this.#request.disk_view)
      throw includeOutside(`${named} is a symbolic link, which an isolated run cannot include`);
    try {
      return await resolveWithin(this.#allowed_root, location, named);
    } catch (error) {
      if (error instanceof PrivateFileError) return error.real;
      if (error instanceof OutsideFault) throw includeOutside(error.message);
      throw includeMissing(`${named} is a broken link (${(error as NodeJS.ErrnoException).code})`);
    }
  }

  /** Often the path is right, but relative to the working folder. */
  async #notFoundError(named: string, { code, message }: NodeJS.ErrnoException): Promise<Error> {
    if (code !== 'ENOENT' && code !== 'ENOTDIR') return includeMissing(`${named} cannot be read: ${message}`);
    const here = resolve(this.#request.cwd, named);
    const seen = relative(this.#root, here);
    const exists = await this.#disk_view.lstat(here).catch(() => undefined);
    const inside = seen !== '' && !seen.startsWith('..') && !isAbsolute(seen);
    const hint = exists && inside ? `; write --include ${seen}` : '';
    return includeMissing(`${named} is not in ${this.#root}: included paths are relative to the script${hint}`);
  }
}
