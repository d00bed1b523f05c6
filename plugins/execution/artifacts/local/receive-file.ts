import { createHash, type Hash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { LocalFileError } from './local-file-error.ts';
import { validatePath } from '../domain/paths.ts';

/** A file to download. */
export interface RemoteFile {
  path: string;
  size: number;
  /** Such as `sha256:<hex>`. */
  digest: string;
  /** Reads the bytes from `from` on. They may end early if the connection breaks, or throw. */
  read(from: number): Promise<AsyncIterable<Buffer>>;
}

const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
const READ_BYTES = 256 * 1024;
/** Leaves space for what is added to the name of a partial file. */
const MAX_READABLE_NAME_BYTES = 200;

/**
 * Returns where a file is written below a folder. Creates the folders in between and refuses links among them, so
 * that nothing is written outside. Throws `LocalFileError`.
 */
export async function prepareTarget(folder: string, path: string): Promise<string> {
  const problem = validatePath(path);
  const target = resolve(folder, path);
  const inside = relative(resolve(folder), target);
  if (problem !== undefined || inside === '' || inside.startsWith('..'))
    throw new LocalFileError(
      `the path ${JSON.stringify(path)} ${problem ?? 'is outside the folder'}`,
      'download it with --output -',
    );
  let folder_path = resolve(folder);
  await mkdir(folder_path, { recursive: true });
  for (const name of dirname(path).split('/')) {
    if (name === '.') continue;
    folder_path = join(folder_path, name);
    await createFolder(folder_path);
  }
  const stats = await tryStat(target);
  if (stats?.isDirectory())
    throw new LocalFileError(`${target} is a folder, but ${path} is a file`, 'choose another folder with --output');
  return target;
}

const tryStat = (path: string): Promise<Stats | undefined> =>
  lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

async function createFolder(path: string): Promise<void> {
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const stats = await tryStat(path);
  if (stats?.isDirectory()) return;
  const problem = stats?.isSymbolicLink() ? 'is a symbolic link, which could lead anywhere' : 'is a file';
  throw new LocalFileError(`${path} ${problem}`, 'remove it, or choose another folder with --output');
}

/**
 * Downloads a file into a partial file next to it, which a later call continues, and renames that once its digest is
 * verified. Returns how many bytes are there, fewer than its size if the connection broke.
 */
export async function receiveFile(target: string, { size, digest, read }: Omit<RemoteFile, 'path'>): Promise<number> {
  const partial = join(dirname(target), `.${partialName(basename(target))}.${digest.slice(7, 19)}.part`);
  const file = await open(partial, FLAGS, 0o666);
  const hash = createHash('sha256');
  let at = 0;
  try {
    const partial_bytes = (await file.stat()).size;
    if (partial_bytes > size) await file.truncate(0);
    else at = await hashExisting(file, hash);
    if (at < size)
      for await (const chunk of await read(at)) {
        await file.write(chunk, 0, chunk.length, at);
        hash.update(chunk);
        at += chunk.length;
      }
    if (at < size) return at;
    if (at !== size || `sha256:${hash.digest('hex')}` !== digest) at = -1;
  } finally {
    await file.close();
  }
  if (at < 0) {
    await rm(partial, { force: true });
    throw new LocalFileError(
      `the downloaded content of ${basename(target)} does not match the digest ${digest}`,
      'call again',
    );
  }
  await rename(partial, target);
  return at;
}

/** A file system limits the bytes of a name, and long names with equal beginnings need different partial files. */
const partialName = (name: string): string =>
  Buffer.byteLength(name) <= MAX_READABLE_NAME_BYTES ? name : createHash('sha256').update(name).digest('hex');

async function hashExisting(file: Awaited<ReturnType<typeof open>>, hash: Hash): Promise<number> {
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return at;
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}
