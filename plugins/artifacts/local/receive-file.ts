import { createHash, type Hash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { LocalFault } from './fault.ts';
import { pathFault } from '../domain/paths.ts';

/** A file to download. */
export interface Remote {
  path: string;
  size: number;
  /** `sha256:<hex>`. */
  digest: string;
  /** The bytes from `from` on; they may end early when the connection breaks, or throw. */
  read(from: number): Promise<AsyncIterable<Buffer>>;
}

const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
const READ_BYTES = 256 * 1024;

/**
 * Where a file is put below a folder. Makes the folders on the way, and refuses links among them: nothing is written
 * outside. Throws `LocalFault`.
 */
export async function targetOf(folder: string, path: string): Promise<string> {
  const fault = pathFault(path);
  const target = resolve(folder, path);
  const inside = relative(resolve(folder), target);
  if (fault !== undefined || inside === '' || inside.startsWith('..'))
    throw new LocalFault(
      `the path ${JSON.stringify(path)} ${fault ?? 'leads out of the folder'}`,
      'download it with --output -',
    );
  let at = resolve(folder);
  await mkdir(at, { recursive: true });
  for (const name of dirname(path).split('/')) {
    if (name === '.') continue;
    at = join(at, name);
    await makeFolder(at);
  }
  const found = await statOf(target);
  if (found?.isDirectory())
    throw new LocalFault(`${target} is a folder, and ${path} is a file`, 'name another folder with --output');
  return target;
}

const statOf = (path: string): Promise<Stats | undefined> =>
  lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

async function makeFolder(path: string): Promise<void> {
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await statOf(path);
  if (found?.isDirectory()) return;
  const what = found?.isSymbolicLink() ? 'is a symbolic link, which may lead anywhere' : 'is a file';
  throw new LocalFault(`${path} ${what}`, 'remove it, or name another folder with --output');
}

/**
 * Downloads a file: into one beside it first, which a later call continues, and under its name once its digest is right.
 * Answers how many bytes are there; fewer than its size when the connection broke.
 */
export async function receiveFile(target: string, { size, digest, read }: Omit<Remote, 'path'>): Promise<number> {
  const partial = join(dirname(target), `.${basename(target).slice(0, 200)}.${digest.slice(7, 19)}.part`);
  const file = await open(partial, FLAGS, 0o666);
  const hash = createHash('sha256');
  let at = 0;
  try {
    const there = (await file.stat()).size;
    if (there > size) await file.truncate(0);
    else at = await hashed(file, hash);
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
    throw new LocalFault(`what arrived of ${basename(target)} does not have the digest ${digest}`, 'call again');
  }
  await rename(partial, target);
  return at;
}

async function hashed(file: Awaited<ReturnType<typeof open>>, hash: Hash): Promise<number> {
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return at;
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}
