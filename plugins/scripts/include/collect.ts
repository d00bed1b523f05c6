import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { includedPathFault, MAX_INCLUDED_FILES } from '../../runs/contract.ts';
import { type FileRoom, wholeMachine } from '../contract/file-room.ts';
import { isWithin, OutsideFault, realWithin, rootOf, type WorkflowRoot } from '../contract/workflow-root.ts';
import { includeInvalid, includeMissing, includeOutside } from '../errors.ts';
import { tooMany } from './too-large.ts';

/** A file to include: where it will lie, and where it lies. */
export interface FoundFile {
  path: string;
  place: string;
  size: number;
  executable: boolean;
}

/** What a script wants beside it. */
export interface Wanted {
  /** The path of the script, or of any file in its folder. */
  script: string;
  includes: readonly string[];
  /** Where a relative path of the script begins. */
  cwd: string;
  /** Absent: every file of the machine, and links are followed to what lies in the root. */
  room?: FileRoom | undefined;
  /** What links may lead to, where there is no room: by default what lies below the folder of the script. */
  root?: WorkflowRoot | undefined;
}

/** What programs and editors leave in folders, and what must stay at home. A file that is named itself is taken. */
const LEFT_OUT = new Set(['.git', '.svc', '.hg', '.svn', '__pycache__', '.DS_Store']);
/** Of one look; then there are too many files anyway. */
const MAX_LOOKED_AT = 20 * MAX_INCLUDED_FILES;

/**
 * The files and folders that a script includes, relative to its own folder, in the order of their paths. Throws
 * `include_missing`, `include_outside`, `include_invalid` and `include_too_large`.
 */
export async function findIncluded(wanted: Wanted): Promise<FoundFile[]> {
  const script = resolve(wanted.cwd, wanted.script);
  const look = new Look(script, wanted, wanted.root ?? (await rootOf(script)));
  for (const include of wanted.includes) await look.take(include);
  return look.found();
}

/** Something that is looked at: where its author sees it, where it lies, and what the author calls it. */
interface Place {
  place: string;
  real: string;
  named: string;
}

class Look {
  readonly #root: string;
  readonly #script: string;
  readonly #wanted: Wanted;
  readonly #room: FileRoom;
  readonly #files = new Map<string, FoundFile>();
  readonly #within: WorkflowRoot;

  constructor(script: string, wanted: Wanted, within: WorkflowRoot) {
    this.#root = dirname(script);
    this.#script = script;
    this.#wanted = wanted;
    this.#room = wanted.room ?? wholeMachine;
    this.#within = within;
  }

  found(): FoundFile[] {
    return [...this.#files.values()].toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  }

  async take(include: string): Promise<void> {
    if (include === '') throw includeMissing('an empty text names no file to include');
    if (isAbsolute(include)) throw includeOutside(`${include} is absolute; write it relative to ${this.#root}`);
    if (include.split('/').includes('..')) throw includeOutside(`${include} leads out of the folder of the script`);
    const place = join(this.#root, include);
    const before = this.#files.size;
    await this.#visit({ place, real: await this.#realPlace(place, include), named: include }, []);
    if (this.#files.size === before && (await this.#isFolder(place)))
      throw includeMissing(`${include} is a folder without a file to include`);
  }

  async #isFolder(place: string): Promise<boolean> {
    return (await this.#room.lstat(place)).isDirectory() && !this.#holds(place);
  }

  /** Whether something below was taken before. */
  #holds(place: string): boolean {
    const below = relative(this.#root, place);
    return [...this.#files.keys()].some((path) => below === '' || path.startsWith(`${below}/`));
  }

  /** Where it lies when the links in the folders above it are followed; a link itself is left for the visit. */
  async #realPlace(place: string, named: string): Promise<string> {
    if (this.#wanted.room || place === this.#root) return place;
    const folder = await realpath(dirname(place)).catch(async (error: NodeJS.ErrnoException) => {
      throw await this.#absent(named, error);
    });
    if (!isWithin(this.#within.real, folder))
      throw includeOutside(new OutsideFault(named, join(folder, basename(place)), this.#within).message);
    return join(folder, basename(place));
  }

  /** `above`: the real folders that it lies in, against links in a circle. */
  async #visit({ place, real: at, named }: Place, above: readonly string[]): Promise<void> {
    const found = await this.#room.lstat(at).catch(async (error: NodeJS.ErrnoException) => {
      throw await this.#absent(named, error);
    });
    const real = found.isSymbolicLink() ? await this.#behind(at, named) : at;
    const what = real === at ? found : await this.#room.lstat(real);
    if (what.isDirectory()) return this.#folder({ place, real, named }, above);
    if (!what.isFile()) throw includeInvalid(`${named} is no regular file`);
    if (place === this.#script) return;
    const path = relative(this.#root, place).split(sep).join('/');
    const fault = includedPathFault(path);
    if (fault !== undefined) throw includeInvalid(`${JSON.stringify(path)} cannot be included: it ${fault}`);
    this.#files.set(path, { path, place: real, size: what.size, executable: (what.mode & 0o100) !== 0 });
    if (this.#files.size > MAX_LOOKED_AT) throw tooMany([...this.#files.keys()]);
  }

  async #folder({ place, real, named }: Place, above: readonly string[]): Promise<void> {
    if (above.includes(real)) throw includeInvalid(`${named} is a link to a folder that it lies in`);
    const entries = await this.#room.readdir(real).catch((error: NodeJS.ErrnoException) => {
      throw includeMissing(`${named} cannot be read: ${error.message}`);
    });
    for (const { name } of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (LEFT_OUT.has(name)) continue;
      const below = { place: join(place, name), real: join(real, name), named: join(named, name) };
      await this.#visit(below, [...above, real]);
    }
  }

  /** What a link names. Throws `include_outside` for what is not in the root. */
  async #behind(place: string, named: string): Promise<string> {
    if (this.#wanted.room) throw includeOutside(`${named} is a symbolic link, which an isolated run cannot include`);
    try {
      return await realWithin(this.#within, place, named);
    } catch (error) {
      if (error instanceof OutsideFault) throw includeOutside(error.message);
      throw includeMissing(`${named} is a link to nothing (${(error as NodeJS.ErrnoException).code})`);
    }
  }

  /** Often the path is right, but seen from the working folder. */
  async #absent(named: string, { code, message }: NodeJS.ErrnoException): Promise<Error> {
    if (code !== 'ENOENT' && code !== 'ENOTDIR') return includeMissing(`${named} cannot be read: ${message}`);
    const here = resolve(this.#wanted.cwd, named);
    const seen = relative(this.#root, here);
    const exists = await this.#room.lstat(here).catch(() => undefined);
    const inside = seen !== '' && !seen.startsWith('..') && !isAbsolute(seen);
    const hint = exists && inside ? `; write --include ${seen}` : '';
    return includeMissing(`${named} is not in ${this.#root}: what is included is named relative to the script${hint}`);
  }
}
