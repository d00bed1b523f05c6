import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ScriptSpec, sourceFileName } from '../domain/script-spec.ts';

/** What a pass keeps on disk, in a folder that only the agent's user may enter. */
export interface PassFolder {
  source: string;
  input_file: string;
  /** Where the socket is to be made; short, for the path of a Unix socket has at most 104 bytes. */
  socket: string;
  remove(): Promise<void>;
}

/** Makes the folder `name` below `runtime_dir` and writes the source and the whole envelope into it. */
export async function makePassFolder(
  runtime_dir: string,
  name: string,
  spec: ScriptSpec,
  envelope: unknown,
): Promise<PassFolder> {
  const folder = join(runtime_dir, name);
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
  // Alone in a folder, so that no interpreter takes its neighbours for modules, and no name of a file is in the way.
  const source = join(folder, 'source', sourceFileName(spec.filename));
  const input_file = join(folder, 'input.json');
  try {
    await mkdir(join(folder, 'source'), { recursive: true, mode: 0o700 });
    await writeFile(source, spec.source, { mode: 0o600, flag: 'wx' });
    await writeFile(input_file, JSON.stringify(envelope), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    await remove();
    throw error;
  }
  return { source, input_file, socket: join(folder, 's'), remove };
}
