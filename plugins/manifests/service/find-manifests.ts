import { readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

const FILE = 'manifest.json';

type Found = { files: string[] } | { fault: string };

/** The manifests that a path stands for: the file itself, its `manifest.json`, or those of its subfolders. */
export async function manifestsAt(path: string): Promise<Found> {
  const kind = await kindOf(path);
  if (kind === 'file') return { files: [path] };
  if (kind !== 'folder') return { fault: 'the file or folder does not exist' };
  if ((await kindOf(join(path, FILE))) === 'file') return { files: [join(path, FILE)] };
  const entries = await readdir(path);
  const inside = entries.sort().map((name) => join(path, name, FILE));
  const kinds = await Promise.all(inside.map(kindOf));
  const files = inside.filter((_, index) => kinds[index] === 'file');
  return files.length > 0 ? { files } : { fault: `neither this folder nor a folder in it contains ${FILE}` };
}

/** One entry of SVC_CONNECTORS: a path, or the name of an installed package. */
export async function locate(entry: string): Promise<string> {
  const path = resolve(entry);
  if ((await kindOf(path)) !== undefined || entry.startsWith('.') || entry.startsWith('/')) return path;
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', entry);
    if ((await kindOf(join(candidate, FILE))) === 'file') return candidate;
    if (folder === dirname(folder)) return path;
  }
}

async function kindOf(path: string): Promise<'file' | 'folder' | undefined> {
  try {
    const found = await stat(path);
    return found.isDirectory() ? 'folder' : found.isFile() ? 'file' : undefined;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
