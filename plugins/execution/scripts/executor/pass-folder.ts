import { mkdirSync, rmdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Ids, Log } from '../../../../kernel/contracts/index.ts';
import { removeFolder } from '../../agents/contract.ts';
import type { ScriptWork } from '../contract.ts';
import { workFileName } from '../domain/bundled.ts';
import { sourceFileName } from '../domain/script-spec.ts';
import { type IncludedFileSet, NO_FILES } from './included-files.ts';
import type { SdkLinks } from './sdk-folder.ts';

const SMALL = 64 * 1024;
/** Larger files go to the disk, which is the last of the folders to choose from. */
const LARGE = 1024 * 1024;

/**
 * The variables of the project and its org, next to the file of the envelope. The SDKs look for it there; a run without
 * variables, and an older agent, have none.
 */
const VARS_FILE = 'vars.json';

/** The files of a pass, in a folder that only the agent's user may enter. */
export interface PassFolder {
  folder: string;
  source: string;
  input_file: string;
  /** Path of the socket. It is short, because the path of a Unix socket has at most 104 bytes. */
  socket: string;
  remove(): Promise<void>;
}

export interface PassFolderOptions {
  name: string;
  spec: ScriptWork;
  envelope: unknown;
  /** The variables of the project and its org. */
  vars?: Readonly<Record<string, string>> | undefined;
  links?: SdkLinks;
  /** The files included with the script. */
  included_files?: IncludedFileSet;
  log: Pick<Log, 'warn'>;
}

/** The files that the SDKs read, as JSON. */
interface InputFiles {
  input: string;
  vars: string | undefined;
}

type FolderContents = Required<Pick<PassFolderOptions, 'name' | 'spec' | 'links' | 'included_files'>> & InputFiles;

const inputFiles = ({ envelope, vars }: Pick<PassFolderOptions, 'envelope' | 'vars'>): InputFiles => ({
  input: JSON.stringify(envelope),
  vars: vars && JSON.stringify(vars),
});

const sizeOf = ({ source }: ScriptWork, { input, vars = '' }: InputFiles): number =>
  source.length + input.length + vars.length;

/** Returns a name for a folder of files that the agent hands over to a pass. */
export const readableFolderName = (ids: Pick<Ids, 'bytes'>): string => `r${ids.bytes(6).toString('hex')}`;

/**
 * Creates the folder of a pass in the first folder that accepts it. Memory may be full, or gone with the session of a
 * user.
 */
export async function createPassFolder(
  folders: readonly string[],
  { name, spec, envelope, vars, links = {}, included_files: beside = NO_FILES, log }: PassFolderOptions,
): Promise<PassFolder> {
  const input_files = inputFiles({ envelope, vars });
  const contents = { name, spec, ...input_files, links, included_files: beside };
  const disk_folder = folders.at(-1)!;
  if (sizeOf(spec, input_files) + beside.bytes <= LARGE)
    for (const folder of folders.slice(0, -1)) {
      const created = await createFolderAt(folder, contents).catch((error: Error) => {
        log.warn(
          { folder, reason: error.message },
          "storing a pass's files on disk, because there is no space for them in memory",
        );
      });
      if (created) return created;
    }
  return createFolderAt(disk_folder, contents);
}

/**
 * Creates the folder `name` in `runtime_dir`, writes the source, the complete envelope and the variables into it, and
 * links the SDKs.
 */
async function createFolderAt(runtime_dir: string, contents: FolderContents): Promise<PassFolder> {
  const { name, spec, links, included_files: beside } = contents;
  const folder = await createEmptyFolder(runtime_dir, name, workFileName(spec), links);
  await writePassFiles(folder, spec.source, contents, beside);
  return folder;
}

/**
 * Writes the files of a pass into a folder that was created ahead. Returns false if they do not belong there; see
 * `LARGE`.
 */
export async function fillPassFolder(
  folder: PassFolder,
  { spec, ...contents }: Pick<PassFolderOptions, 'spec' | 'envelope' | 'vars'>,
): Promise<boolean> {
  const input_files = inputFiles(contents);
  if (sizeOf(spec, input_files) > LARGE) return false;
  await writePassFiles(folder, spec.source, input_files);
  return true;
}

async function writePassFiles(
  folder: PassFolder,
  source: string,
  { input, vars }: InputFiles,
  included_files = NO_FILES,
): Promise<void> {
  try {
    await write(folder.source, source);
    await write(folder.input_file, input);
    if (vars !== undefined) await write(join(folder.folder, VARS_FILE), vars);
    await included_files.write(dirname(folder.source));
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

/** Creates the folder of a pass whose file will be called `filename`, with nothing but the SDKs. */
export async function createEmptyFolder(
  runtime_dir: string,
  name: string,
  filename: string | undefined,
  links: SdkLinks,
): Promise<PassFolder> {
  const folder = join(runtime_dir, name);
  const inner = join(folder, 'source');
  // The source has its own folder, so that an interpreter finds no neighbours except the SDK, and no file names
  // collide.
  const source = join(inner, sourceFileName(filename));
  const input_file = join(folder, 'input.json');
  const link_paths = Object.keys(links).map((link) => join(inner, link));
  const remove = async () => {
    const files = [source, input_file, join(folder, VARS_FILE), ...link_paths];
    if (!removeFiles(files, [inner, folder])) await removeFolder(folder);
  };
  try {
    mkdirSync(folder, { mode: 0o700 });
    mkdirSync(inner, { mode: 0o700 });
    for (const [link, target] of Object.entries(links))
      if (link !== basename(source)) symlinkSync(target, join(inner, link));
  } catch (error) {
    await remove();
    throw error;
  }
  return { folder, source, input_file, socket: join(folder, 's'), remove };
}

/**
 * Removes the files that the pass was given; returns false if anything is left, such as files that its programs
 * created.
 */
function removeFiles(files: readonly string[], folders: readonly string[]): boolean {
  try {
    for (const file of files) unlinkIfExists(file);
    for (const folder of folders) rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

function unlinkIfExists(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Small files are written synchronously, because the thread pool would take ten times as long. */
async function write(path: string, text: string): Promise<void> {
  const rules = { mode: 0o600, flag: 'wx' } as const;
  if (text.length > SMALL) await writeFile(path, text, rules);
  else writeFileSync(path, text, rules);
}
