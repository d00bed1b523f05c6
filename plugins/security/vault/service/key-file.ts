import { constants } from 'node:fs';
import { link, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Ids } from '../../../../kernel/contracts/index.ts';
import { parseMasterKey } from '../domain/master-key.ts';
import { VaultErrors } from '../errors.ts';

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code ?? 'unknown');

/**
 * Reads the key from the file; undefined when there is no file. Throws `master_key_exposed`, `master_key_invalid`, or
 * `master_key_missing` when the file cannot be read.
 */
export async function readKeyFile(path: string): Promise<Buffer | undefined> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    // Non-blocking, so that a pipe at this path does not block the start. It is rejected below.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw VaultErrors.masterKeyMissing(`the master key file ${path} cannot be read (${codeOf(error)})`, {
      cause: error,
    });
  }
  try {
    const stat = await file.stat();
    if (!stat.isFile() || stat.size > 1024) throw VaultErrors.masterKeyInvalid(`${path} is not a master key file`);
    if ((stat.mode & 0o077) !== 0)
      throw VaultErrors.masterKeyExposed(`${path} has mode ${(stat.mode & 0o777).toString(8)}; it must be 600`);
    const key = parseMasterKey(await file.readFile('utf8'));
    if (!key) throw VaultErrors.masterKeyInvalid(`${path} does not contain 32 bytes in base64`);
    return key;
  } finally {
    await file.close();
  }
}

/** Creates the file unless another process was first, and returns the key that the file contains afterwards. */
export async function createKeyFile(path: string, key: Buffer, ids: Ids): Promise<Buffer> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = await writeDraft(path, key, ids);
  try {
    // A link never replaces a file: the first of two processes wins, and the file appears complete.
    await link(draft, path);
    await syncFolder(path);
    return key;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    const winner = await readKeyFile(path);
    if (!winner) throw VaultErrors.masterKeyMissing(`the master key file ${path} vanished while it was being created`);
    return winner;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Writes or replaces the file. A crash leaves the old or the new content, never half of it. */
export async function replaceKeyFile(path: string, key: Buffer, ids: Ids): Promise<void> {
  const draft = await writeDraft(path, key, ids);
  await moveKeyFile(draft, path);
}

export async function moveKeyFile(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(to);
}

async function writeDraft(path: string, key: Buffer, ids: Ids): Promise<string> {
  const draft = `${path}.${ids.next('draft')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${key.toString('base64')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return draft;
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
