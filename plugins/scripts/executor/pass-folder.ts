import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type ScriptSpec, sourceFileName } from '../domain/script-spec.ts';
import type { SdkLinks } from './sdk-folder.ts';

const SMALL = 64 * 1024;

/** What a pass keeps on disk, in a folder that only the agent's user may enter. */
export interface PassFolder {
  source: string;
  input_file: string;
  /** Where the socket is to be made; short, for the path of a Unix socket has at most 104 bytes. */
  socket: string;
  remove(): Promise<void>;
}

/** Makes the folder `name` below `runtime_dir` and writes the source and the whole envelope into it; links the SDKs. */
export async function makePassFolder(
  runtime_dir: string,
  name: string,
  spec: ScriptSpec,
  envelope: unknown,
  links: SdkLinks = {},
): Promise<PassFolder> {
  const folder = join(runtime_dir, name);
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
  // In a folder of its own, so that no interpreter takes other neighbours than the SDK for modules, and no name of a file is in the way.
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
  return { source, input_file, socket: join(folder, 's'), remove };
}

/** What is small is written at once: handing it to another thread, thrice a file, takes ten times as long. */
async function write(path: string, text: string): Promise<void> {
  const rules = { mode: 0o600, flag: 'wx' } as const;
  if (text.length > SMALL) await writeFile(path, text, rules);
  else writeFileSync(path, text, rules);
}
