import { open, readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

const FILE = 'manifest.json';
/** The limit of the entries of a folder, because a running server looks at each of them every second. */
const MAX_ENTRIES = 1000;
/** A manifest names its version at its beginning. */
const HEAD_BYTES = 4096;

type ManifestFiles = { files: string[] } | { error: string };

/** Finds the manifests at a path: the file itself, its `manifest.json`, or those of a folder. */
export async function manifestsAt(path: string): Promise<ManifestFiles> {
  const kind = await fileKind(path);
  if (kind === 'file') return { files: [path] };
  if (kind !== 'folder') return { error: 'the file or folder does not exist' };
  if ((await fileKind(join(path, FILE))) === 'file') return { files: [join(path, FILE)] };
  const names = (await readdir(path)).filter((name) => !name.startsWith('.')).sort();
  if (names.length > MAX_ENTRIES)
    return { error: `this folder has more than ${MAX_ENTRIES} entries; svc reads at most ${MAX_ENTRIES}` };
  const files: string[] = [];
  for (const name of names) {
    const inside = join(path, name);
    if (name.endsWith('.json') ? await isManifest(inside) : (await fileKind(join(inside, FILE))) === 'file')
      files.push(name.endsWith('.json') ? inside : join(inside, FILE));
  }
  return { files };
}

/** True for a file that names the version of a manifest: a folder may contain other JSON too. What cannot be read is reported later. */
async function isManifest(path: string): Promise<boolean> {
  if ((await fileKind(path)) !== 'file') return false;
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return true;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString('latin1', 0, bytesRead).includes('"svc-connector/');
  } finally {
    await file.close();
  }
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
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
