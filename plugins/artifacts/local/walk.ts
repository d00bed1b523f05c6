import { createHash } from 'node:crypto';
import { constants, type Dirent, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { type FileRoom, wholeMachine } from '../../scripts/contract.ts';
import { pathFault } from '../domain/paths.ts';
import { LocalFault } from './fault.ts';

/** A file to upload. */
export interface LocalFile {
  /** Its path as an artifact. */
  path: string;
  /** Where it lies. */
  file: string;
}

/** Files of one call. */
export const MAX_FILES = 5000;

const OTHERS = 'store regular files only; an archive (tar) keeps the rest';

/**
 * The files of a folder, or one file. The paths begin with the folder's own name, or with `as`: `.` for none; for one
 * file `as` is its whole path, unless it ends with a slash. Throws `LocalFault` for links, sockets and the like: what a
 * link points to may lie anywhere.
 */
export async function collectFiles(
  cwd: string,
  given: string,
  as: string | undefined,
  room: FileRoom = wholeMachine,
): Promise<LocalFile[]> {
  const root = resolve(cwd, given);
  const found = await look(room, root, given);
  if (found.isSymbolicLink()) throw new LocalFault(`${given} is a symbolic link`, 'name the file or folder itself');
  if (found.isFile()) return [{ path: checked(pathOfFile(root, as), given), file: root }];
  if (!found.isDirectory()) throw new LocalFault(`${given} is neither a file nor a folder`, OTHERS);
  const prefix = prefixOf(root, as);
  const files: LocalFile[] = [];
  await walk(room, root, prefix, files);
  if (files.length === 0) throw new LocalFault(`${given} holds no files`, 'name a folder with files in it');
  return files;
}

async function look(room: FileRoom, path: string, given: string): Promise<Stats> {
  return room.lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new LocalFault(`there is no file or folder ${given}`, 'correct the path');
    throw new LocalFault(`${given} cannot be read: ${error.message}`, 'correct the path or its permissions');
  });
}

function pathOfFile(file: string, as: string | undefined): string {
  if (as === undefined || as === '.') return basename(file);
  return as.endsWith('/') ? `${as}${basename(file)}` : as;
}

function prefixOf(folder: string, as: string | undefined): string {
  if (as === '.') return '';
  const name = as === undefined ? basename(folder) : as.replace(/\/$/, '');
  return name === '' ? '' : `${checked(name, as ?? folder)}/`;
}

function checked(path: string, given: string): string {
  const fault = pathFault(path);
  if (fault === undefined) return path;
  throw new LocalFault(
    `${JSON.stringify(given)} cannot be stored as "${path}": the path ${fault}`,
    'name another with --as',
  );
}

/** In the order of names, so that two calls see the same. */
async function walk(room: FileRoom, folder: string, prefix: string, files: LocalFile[]): Promise<void> {
  const entries = await room.readdir(folder).catch((error: Error) => {
    throw new LocalFault(`${folder} cannot be read: ${error.message}`, 'correct its permissions');
  });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = join(folder, entry.name);
    checkKind(entry, file);
    if (entry.name.includes('\ufffd')) await checkName(room, file);
    // Of a folder too: one that is too deep for a path holds nothing that can be stored.
    const path = checked(`${prefix}${entry.name}`, file);
    if (entry.isDirectory()) await walk(room, file, `${path}/`, files);
    else files.push({ path, file });
    if (files.length > MAX_FILES)
      throw new LocalFault(`there are more than ${MAX_FILES} files`, 'store them as one archive (tar)');
  }
}

function checkKind(entry: Dirent, file: string): void {
  if (entry.isFile() || entry.isDirectory()) return;
  if (entry.isSymbolicLink())
    throw new LocalFault(
      `${file} is a symbolic link`,
      'links are not followed; copy the file in its place, or remove the link',
    );
  throw new LocalFault(`${file} is no regular file`, OTHERS);
}

/** What is not Unicode in a name is shown by the sign that no file has, unless it is there itself. */
async function checkName(room: FileRoom, file: string): Promise<void> {
  try {
    await room.lstat(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new LocalFault(
      `the name of ${JSON.stringify(file)} is not Unicode text`,
      'rename it, or store an archive (tar)',
    );
  }
}

/** The content of a file as it is now. */
export interface FileContent {
  size: number;
  /** SHA-256 in hex. */
  digest: string;
  /** The bytes from `from` on. */
  read(from: number): AsyncIterable<Buffer>;
}

const READ_BYTES = 256 * 1024;

/**
 * Reads a file once, for its digest, up to the size that it has now: what is appended meanwhile is not of it. Throws
 * `LocalFault`.
 */
export async function contentOf(path: string, room: FileRoom = wholeMachine): Promise<FileContent> {
  const hash = createHash('sha256');
  const size = await sizeOf(room, path);
  for await (const chunk of readPart(room, path, 0, size)) hash.update(chunk);
  return { size, digest: hash.digest('hex'), read: (from) => readPart(room, path, from, size) };
}

const UNCHANGED = 'do not change the folder while it is stored';

/** A link that took the place of the file is not followed, and a pipe is not waited for. */
async function opened(room: FileRoom, path: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await room.open(path, flags).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ELOOP' ? 'it is a symbolic link now' : error.message;
    throw new LocalFault(`${path} cannot be read: ${why}`, UNCHANGED);
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new LocalFault(`${path} is no regular file any more`, UNCHANGED);
}

async function sizeOf(room: FileRoom, path: string): Promise<number> {
  const file = await opened(room, path);
  try {
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

async function* readPart(room: FileRoom, path: string, from: number, to: number): AsyncGenerator<Buffer, void> {
  const file = await opened(room, path);
  try {
    for (let at = from; at < to; ) {
      const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, to - at));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) throw new LocalFault(`${path} became shorter while it was stored`, UNCHANGED);
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
