import { readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

const FILE = 'manifest.json';

type ManifestFiles = { files: string[] } | { error: string };

/** Finds the manifests at a path: the file itself, its `manifest.json`, or those of its subfolders. */
export async function manifestsAt(path: string): Promise<ManifestFiles> {
  const kind = await fileKind(path);
  if (kind === 'file') return { files: [path] };
  if (kind !== 'folder') return { error: 'the file or folder does not exist' };
  if ((await fileKind(join(path, FILE))) === 'file') return { files: [join(path, FILE)] };
  const entries = await readdir(path);
  const inside = entries.sort().map((name) => join(path, name, FILE));
  const kinds = await Promise.all(inside.map(fileKind));
  const files = inside.filter((_, index) => kinds[index] === 'file');
  return files.length > 0 ? { files } : { error: `neither this folder nor a folder in it contains ${FILE}` };
}

/** Resolves one entry of SVC_CONNECTORS: a path, or the name of an installed package. */
export async function resolveEntry(entry: string): Promise<string> {
  const path = resolve(entry);
  if ((await fileKind(path)) !== undefined || entry.startsWith('.') || entry.startsWith('/')) return path;
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', entry);
    if ((await fileKind(join(candidate, FILE))) === 'file') return candidate;
    if (folder === dirname(folder)) return path;
  }
}

async function fileKind(path: string): Promise<'file' | 'folder' | undefined> {
  try {
    const stats = await stat(path);
    return stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : undefined;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
