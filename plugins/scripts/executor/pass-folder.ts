import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { removeFolder } from '../../agents/contract.ts';
import type { ScriptWork } from '../contract.ts';
import { sourceFileName } from '../domain/script-spec.ts';
import type { SdkLinks } from './sdk-folder.ts';

const SMALL = 64 * 1024;

/** The files of a pass, in a folder that only the agent's user may enter. */
export interface PassFolder {
  folder: string;
  source: string;
  input_file: string;
  /** Path of the socket; short, because the path of a Unix socket has at most 104 bytes. */
  socket: string;
  remove(): Promise<void>;
}

/**
 * Creates the folder `name` in `runtime_dir`, writes the source and the complete envelope into it, and links the SDKs.
 */
export async function makePassFolder(
  runtime_dir: string,
  name: string,
  spec: ScriptWork,
  envelope: unknown,
  links: SdkLinks = {},
): Promise<PassFolder> {
  const folder = join(runtime_dir, name);
  const remove = () => removeFolder(folder);
  // In its own folder, so that an interpreter finds no neighbours but the SDK, and no file name collides.
  const source = join(folder, 'source', sourceFileName(spec.filename));
  const input_file = join(folder, 'input.json');
  try {
    mkdirSync(join(folder, 'source'), { recursive: true, mode: 0o700 });
    await write(source, spec.source);
    await write(input_file, JSON.stringify(envelope));
    for (const [link, target] of Object.entries(links))
      if (link !== basename(source)) symlinkSync(target, join(folder, 'source', link));
  } catch (error) {
    await remove();
    throw error;
  }
  return { folder, source, input_file, socket: join(folder, 's'), remove };
}

/** Small files are written synchronously: the thread pool would take ten times as long. */
async function write(path: string, text: string): Promise<void> {
  const rules = { mode: 0o600, flag: 'wx' } as const;
  if (text.length > SMALL) await writeFile(path, text, rules);
  else writeFileSync(path, text, rules);
}
