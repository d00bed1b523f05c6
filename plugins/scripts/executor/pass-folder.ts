import { mkdirSync, rmdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Log } from '../../../kernel/contracts/index.ts';
import { removeFolder } from '../../agents/contract.ts';
import type { ScriptWork } from '../contract.ts';
import { workFileName } from '../domain/bundled.ts';
import { sourceFileName } from '../domain/script-spec.ts';
import { type Beside, NOTHING } from './included-files.ts';
import type { SdkLinks } from './sdk-folder.ts';

const SMALL = 64 * 1024;
/** What is longer lies on the disk, which is the last of the folders to choose from. */
const LARGE = 1024 * 1024;

/** The files of a pass, in a folder that only the agent's user may enter. */
export interface PassFolder {
  folder: string;
  source: string;
  input_file: string;
  /** Path of the socket; short, because the path of a Unix socket has at most 104 bytes. */
  socket: string;
  remove(): Promise<void>;
}

export interface NewPass {
  name: string;
  spec: ScriptWork;
  envelope: unknown;
  links?: SdkLinks;
  /** What lies beside the script. */
  beside?: Beside;
  log: Pick<Log, 'warn'>;
}

type MadePass = Required<Pick<NewPass, 'name' | 'spec' | 'links' | 'beside'>> & { input: string };

/** As `makePassFolder`, in the first folder that takes it: memory may be full, or gone with the session of a user. */
export async function makePassFolderIn(
  folders: readonly string[],
  { name, spec, envelope, links = {}, beside = NOTHING, log }: NewPass,
): Promise<PassFolder> {
  const input = JSON.stringify(envelope);
  const last = folders.at(-1)!;
  if (spec.source.length + input.length + beside.bytes <= LARGE)
    for (const folder of folders.slice(0, -1)) {
      const made = await makePassFolder(folder, { name, spec, input, links, beside }).catch((error: Error) => {
        log.warn(
          { folder, reason: error.message },
          'the files of a pass lie on the disk, because memory did not take them',
        );
      });
      if (made) return made;
    }
  return makePassFolder(last, { name, spec, input, links, beside });
}

/**
 * Creates the folder `name` in `runtime_dir`, writes the source and the complete envelope into it, and links the SDKs.
 */
async function makePassFolder(runtime_dir: string, pass: MadePass): Promise<PassFolder> {
  const { name, spec, input, links, beside } = pass;
  const folder = await makeEmptyFolder(runtime_dir, name, workFileName(spec), links);
  await fill(folder, spec.source, input, beside);
  return folder;
}

/** Writes what a pass is given into a folder that was made ahead. False when that does not belong there: see `LARGE`. */
export async function fillPassFolder(
  folder: PassFolder,
  { spec, envelope }: Pick<NewPass, 'spec' | 'envelope'>,
): Promise<boolean> {
  const input = JSON.stringify(envelope);
  if (spec.source.length + input.length > LARGE) return false;
  await fill(folder, spec.source, input);
  return true;
}

async function fill(folder: PassFolder, source: string, input: string, beside = NOTHING): Promise<void> {
  try {
    await write(folder.source, source);
    await write(folder.input_file, input);
    await beside.write(dirname(folder.source));
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

/** The folder of a pass whose file will be called `filename`, with the SDKs alone. */
export async function makeEmptyFolder(
  runtime_dir: string,
  name: string,
  filename: string | undefined,
  links: SdkLinks,
): Promise<PassFolder> {
  const folder = join(runtime_dir, name);
  const inner = join(folder, 'source');
  // In its own folder, so that an interpreter finds no neighbours but the SDK, and no file name collides.
  const source = join(inner, sourceFileName(filename));
  const input_file = join(folder, 'input.json');
  const own = Object.keys(links).map((link) => join(inner, link));
  const remove = async () => {
    if (!removedAtOnce([source, input_file, ...own], [inner, folder])) await removeFolder(folder);
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

/** Removes what the pass was given; false when something is left, e.g. what its programs have made. */
function removedAtOnce(files: readonly string[], folders: readonly string[]): boolean {
  try {
    for (const file of files) unlinkUnlessGone(file);
    for (const folder of folders) rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

function unlinkUnlessGone(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Small files are written synchronously: the thread pool would take ten times as long. */
async function write(path: string, text: string): Promise<void> {
  const rules = { mode: 0o600, flag: 'wx' } as const;
  if (text.length > SMALL) await writeFile(path, text, rules);
  else writeFileSync(path, text, rules);
}
