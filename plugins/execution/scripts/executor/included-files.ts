import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ActivityContents } from '../../agents/contract.ts';
import { type IncludedFile, includedPathFault } from '../../../engine/runs/contract.ts';
import { scriptNotStarted } from '../errors.ts';

/** The files included with a script. */
export interface IncludedFileSet {
  /** Total bytes of all files. */
  bytes: number;
  /** Writes the files below the folder of the script. */
  write(folder: string): Promise<void>;
}

export const NO_FILES: IncludedFileSet = { bytes: 0, write: async () => undefined };

/** Contents that are read and written at once; they are in memory meanwhile. */
const MAX_CONCURRENT = 4;

/** Returns the files of a script, whose contents its agent provides. */
export function loadIncludedFiles(
  files: readonly IncludedFile[] | undefined,
  contents: Pick<ActivityContents, 'read'> | undefined,
): IncludedFileSet {
  if (files === undefined) return NO_FILES;
  if (!contents) throw scriptNotStarted('this agent has no plugin for included files');
  for (const { path } of files) {
    const problem = includedPathFault(path);
    if (problem !== undefined) throw scriptNotStarted(`${path} cannot be included: it ${problem}`);
  }
  return {
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    async write(folder) {
      for (const path of new Set(files.map((file) => dirname(file.path))))
        await mkdir(join(folder, path), { recursive: true, mode: 0o700 });
      const remaining = [...files];
      const writeRemaining = async () => {
        for (let file = remaining.pop(); file; file = remaining.pop()) {
          const data = await contents.read(file);
          const mode = file.executable ? 0o700 : 0o600;
          await writeFile(join(folder, file.path), data, { mode, flag: 'wx' });
        }
      };
      await Promise.all(Array.from({ length: MAX_CONCURRENT }, writeRemaining));
    },
  };
}

/** Returns the other files of a Go package, which `go run` takes as its first arguments. */
export const goFiles = (folder: string, files: readonly IncludedFile[] = []): string[] =>
  files
    .map(({ path }) => path)
    .filter((path) => path.endsWith('.go') && !path.endsWith('_test.go') && !path.includes('/'))
    .map((path) => join(folder, path));
