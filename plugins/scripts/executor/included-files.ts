import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ActivityContents } from '../../agents/contract.ts';
import { type IncludedFile, includedPathFault } from '../../runs/contract.ts';
import { scriptNotStarted } from '../errors.ts';

/** What lies beside a script. */
export interface Beside {
  /** All files together. */
  bytes: number;
  /** Writes them below the folder of the script. */
  write(folder: string): Promise<void>;
}

export const NOTHING: Beside = { bytes: 0, write: async () => undefined };

/** Contents that are read and written at the same time: they are in memory meanwhile. */
const AT_ONCE = 4;

/** The files of a script, with their contents from where its agent gets them. */
export function filesBeside(
  files: readonly IncludedFile[] | undefined,
  contents: Pick<ActivityContents, 'read'> | undefined,
): Beside {
  if (files === undefined) return NOTHING;
  if (!contents) throw scriptNotStarted('this agent has no plugin that brings the files beside the script');
  for (const { path } of files) {
    const fault = includedPathFault(path);
    if (fault !== undefined) throw scriptNotStarted(`${path} cannot lie beside the script: it ${fault}`);
  }
  return {
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    async write(folder) {
      for (const path of new Set(files.map((file) => dirname(file.path))))
        await mkdir(join(folder, path), { recursive: true, mode: 0o700 });
      const left = [...files];
      const one = async () => {
        for (let file = left.pop(); file; file = left.pop()) {
          const data = await contents.read(file);
          const mode = file.executable ? 0o700 : 0o600;
          await writeFile(join(folder, file.path), data, { mode, flag: 'wx' });
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, one));
    },
  };
}

/** Further files of the package of a program of Go, which takes them as its first arguments. */
export const goFiles = (folder: string, files: readonly IncludedFile[] = []): string[] =>
  files
    .map(({ path }) => path)
    .filter((path) => path.endsWith('.go') && !path.endsWith('_test.go') && !path.includes('/'))
    .map((path) => join(folder, path));
