import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { readPythonFiles } from './python-files.ts';

const VERSION_DIGITS = 12;

/** What the version of a program is computed from. */
export interface ProgramFiles {
  version: string;
  /** Folders in which a change can make another version. */
  folders: string[];
}

/**
 * Reads the files of a program and what they import of their own project. The version is a digest of all of it; packages are
 * not part of it. A file that cannot be bundled counts alone.
 */
export async function readProgramFiles(files: readonly string[]): Promise<ProgramFiles> {
  const hash = createHash('sha256');
  const folders = new Set(files.map((file) => dirname(resolve(file))));
  for (const file of files) {
    hash.update('\0');
    hash.update(await readSource(file, folders));
  }
  return { version: hash.digest('hex').slice(0, VERSION_DIGITS), folders: [...folders] };
}

async function readSource(file: string, folders: Set<string>): Promise<Uint8Array> {
  if (file.endsWith('.py')) {
    const read = await readPythonFiles(file);
    for (const path of read.keys()) folders.add(dirname(path));
    return Buffer.concat([...read.values()]);
  }
  if (!/\.[cm]?[jt]sx?$/.test(file)) return await readFile(file);
  try {
    // Imported lazily, because only a worker needs it.
    const { build } = await import('esbuild');
    const { outputFiles, metafile } = await build({
      entryPoints: [file],
      absWorkingDir: dirname(resolve(file)),
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      write: false,
      metafile: true,
      logLevel: 'silent',
    });
    for (const input of Object.keys(metafile.inputs)) folders.add(dirname(resolve(dirname(resolve(file)), input)));
    return outputFiles[0]!.contents;
  } catch {
    // Node says better what is wrong with the file when it starts.
    return await readFile(file);
  }
}
