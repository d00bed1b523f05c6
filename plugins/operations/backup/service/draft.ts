import { createWriteStream, existsSync } from 'node:fs';
import { link, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import type { Ids } from '../../../../kernel/contracts/index.ts';
import { syncFile } from '../../../platform/database/contract.ts';
import { BackupErrors } from '../errors.ts';

const fileUnusable = (path: string, cause: unknown) => {
  const { code, message } = cause as NodeJS.ErrnoException;
  return BackupErrors.fileUnusable(`${path}: ${code ?? message}`, { cause });
};

/**
 * Writes a file atomically, readable by its owner only. Throws `backup_exists` unless `force` is set,
 * `backup_file_unusable`, and the errors of `write`.
 */
export async function writeAtomically(
  target: string,
  { ids, force }: { ids: Ids; force: boolean },
  write: (sink: Writable) => Promise<void>,
): Promise<{ path: string; bytes: number }> {
  const path = resolve(target);
  if (!force && existsSync(path)) throw BackupErrors.exists(`${path} already exists`);
  const draft = join(dirname(path), `.${basename(path)}.${ids.next('draft')}`);
  try {
    const sink = createWriteStream(draft, { flags: 'wx', mode: 0o600 });
    await write(sink);
    await syncFile(draft);
    await publish(draft, path, force);
    return { path, bytes: sink.bytesWritten };
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    throw syscall === undefined || code === undefined ? error : fileUnusable(path, error);
  } finally {
    await rm(draft, { force: true });
  }
}

async function publish(draft: string, path: string, force: boolean): Promise<void> {
  if (force) await rename(draft, path);
  else
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? BackupErrors.exists(`${path} already exists`) : error;
    });
  await syncFile(dirname(path));
}
