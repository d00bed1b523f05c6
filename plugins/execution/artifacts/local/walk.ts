import { createHash } from 'node:crypto';
import { constants, type Dirent, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { type DiskView, unrestrictedDisk } from '../../scripts/contract.ts';
import { validatePath } from '../domain/paths.ts';
import { LocalFileError } from './local-file-error.ts';

/** A file to upload. */
export interface LocalFile {
  /** Its path as an artifact. */
  path: string;
  /** Its path on this machine. */
  file: string;
}

/** Maximum files of one call. */
export const MAX_FILES = 5000;

const REGULAR_FILES_HINT = 'store regular files only; an archive (tar) keeps the rest';

/**
 * Returns the files of a folder, or a single file. Their paths begin with the folder's own name, or with `as`; `.`
 * means no prefix. For a single file `as` is its whole path, unless it ends with a slash. Throws `LocalFileError` for
 * links, sockets and the like, because the target of a link may be anywhere.
 */
export async function collectFiles(
  cwd: string,
  named_path: string,
  as: string | undefined,
  disk: DiskView = unrestrictedDisk,
): Promise<LocalFile[]> {
  const root = resolve(cwd, named_path);
  const stats = await tryStat(disk, root, named_path);
  if (stats.isSymbolicLink())
    throw new LocalFileError(`${named_path} is a symbolic link`, 'use the file or folder itself');
  if (stats.isFile()) return [{ path: assertPath(artifactPath(root, as), named_path), file: root }];
  if (!stats.isDirectory())
    throw new LocalFileError(`${named_path} is neither a file nor a folder`, REGULAR_FILES_HINT);
  const prefix = artifactPrefix(root, as);
  const files: LocalFile[] = [];
  await walk(disk, root, prefix, files);
  if (files.length === 0)
    throw new LocalFileError(`${named_path} contains no files`, 'use a folder that contains files');
  return files;
}

async function tryStat(disk: DiskView, path: string, named_path: string): Promise<Stats> {
  return disk.lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT')
      throw new LocalFileError(`there is no file or folder ${named_path}`, 'correct the path');
    throw new LocalFileError(`${named_path} cannot be read: ${error.message}`, 'correct the path or its permissions');
  });
}

function artifactPath(file: string, as: string | undefined): string {
  if (as === undefined || as === '.') return basename(file);
  return as.endsWith('/') ? `${as}${basename(file)}` : as;
}

function artifactPrefix(folder: string, as: string | undefined): string {
  if (as === '.') return '';
  const name = as === undefined ? basename(folder) : as.replace(/\/$/, '');
  return name === '' ? '' : `${assertPath(name, as ?? folder)}/`;
}

function assertPath(path: string, named_path: string): string {
  const problem = validatePath(path);
  if (problem === undefined) return path;
  throw new LocalFileError(
    `${JSON.stringify(named_path)} cannot be stored as "${path}": the path ${problem}`,
    'choose another path with --as',
  );
}

/** Walks in the order of names, so that two calls see the same. */
async function walk(disk: DiskView, folder: string, prefix: string, files: LocalFile[]): Promise<void> {
  const entries = await disk.readdir(folder).catch((error: Error) => {
    throw new LocalFileError(`${folder} cannot be read: ${error.message}`, 'correct its permissions');
  });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = join(folder, entry.name);
    assertRegular(entry, file);
    if (entry.name.includes('\ufffd')) await assertUnicodeName(disk, file);
    // Folders are validated too, because one that is too deep for a path contains nothing that can be stored.
    const path = assertPath(`${prefix}${entry.name}`, file);
    if (entry.isDirectory()) await walk(disk, file, `${path}/`, files);
    else files.push({ path, file });
    if (files.length > MAX_FILES)
      throw new LocalFileError(`there are more than ${MAX_FILES} files`, 'store them as one archive (tar)');
  }
}

function assertRegular(entry: Dirent, file: string): void {
  if (entry.isFile() || entry.isDirectory()) return;
  if (entry.isSymbolicLink())
    throw new LocalFileError(
      `${file} is a symbolic link`,
      'links are not followed; copy the file instead, or remove the link',
    );
  throw new LocalFileError(`${file} is not a regular file`, REGULAR_FILES_HINT);
}

/**
 * Bytes of a name that are not Unicode are shown as the replacement character, and no file has that name unless it
 * contains the character itself.
 */
async function assertUnicodeName(disk: DiskView, file: string): Promise<void> {
  try {
    await disk.lstat(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new LocalFileError(
      `the name of ${JSON.stringify(file)} is not Unicode text`,
      'rename it, or store an archive (tar)',
    );
  }
}

/** The content of a file at this moment. */
export interface FileContent {
  size: number;
  /** SHA-256 in hex. */
  digest: string;
  /** Reads the bytes from `from` on. */
  read(from: number): AsyncIterable<Buffer>;
}

const READ_BYTES = 256 * 1024;

/**
 * Reads a file once for its digest, up to its current size; whatever is appended meanwhile is not part of it. Throws
 * `LocalFileError`.
 */
export async function readContent(path: string, disk: DiskView = unrestrictedDisk): Promise<FileContent> {
  const hash = createHash('sha256');
  const size = await fileSize(disk, path);
  for await (const chunk of readPart(disk, path, 0, size)) hash.update(chunk);
  return { size, digest: hash.digest('hex'), read: (from) => readPart(disk, path, from, size) };
}

const UNCHANGED = 'do not change the folder while it is stored';

/** Opens a file without following a link that has replaced it, and without waiting for a pipe. */
async function openRegular(disk: DiskView, path: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await disk.open(path, flags).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ELOOP' ? 'it is a symbolic link now' : error.message;
    throw new LocalFileError(`${path} cannot be read: ${why}`, UNCHANGED);
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new LocalFileError(`${path} is no longer a regular file`, UNCHANGED);
}

async function fileSize(disk: DiskView, path: string): Promise<number> {
  const file = await openRegular(disk, path);
  try {
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

async function* readPart(disk: DiskView, path: string, from: number, to: number): AsyncGenerator<Buffer, void> {
  const file = await openRegular(disk, path);
  try {
    for (let at = from; at < to; ) {
      const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, to - at));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) throw new LocalFileError(`${path} became shorter while it was being stored`, UNCHANGED);
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
