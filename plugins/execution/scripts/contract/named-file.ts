import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { valueTooLarge, verbUsage } from '../../replay/contract.ts';
import { pathIn, unrestrictedDisk } from './disk-view.ts';
import type { VerbCall } from './verb.ts';

/** Names that mean another file in every process: `/dev/stdin`, and what bash makes of `<(command)`. */
const PROCESS_LOCAL_PATH = /^\/(dev\/(stdin|stdout|stderr|tty|fd)|proc\/(self|thread-self))(\/|$)/;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
};

/** `reason` is set by a disk view that shows only some files. */
type AccessError = NodeJS.ErrnoException & { reason?: string };

/**
 * Reads a file that a script names. Only regular files are read: a pipe would block the agent until somebody writes,
 * and a device may have no end. Throws `verb_usage`, and `value_too_large` above `limit` bytes.
 */
export async function readNamedFile(
  call: Pick<VerbCall, 'cwd' | 'disk_view'>,
  name: string,
  limit: number,
): Promise<Buffer> {
  const path = pathIn(call.cwd, name);
  if (PROCESS_LOCAL_PATH.test(path))
    throw unreadable(name, 'the agent reads it, but only the caller can open it; pass - and redirect standard input');
  const { disk_view = unrestrictedDisk } = call;
  const file = await disk_view.open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: AccessError) => {
    throw unreadable(name, error.reason ?? REASONS[error.code ?? ''] ?? error.message);
  });
  try {
    return await readRegular(file, name, limit);
  } finally {
    await file.close();
  }
}

async function readRegular(file: FileHandle, name: string, limit: number): Promise<Buffer> {
  const stats = await file.stat();
  if (stats.isDirectory()) throw unreadable(name, REASONS.EISDIR!);
  if (!stats.isFile()) throw unreadable(name, 'it is not a regular file; pass - and redirect standard input');
  if (stats.size > limit)
    throw valueTooLarge(`${name} is ${stats.size} bytes long, ${stats.size - limit} more than the ${limit} allowed`);
  // The file may grow meanwhile or not know its size, like files below /proc.
  const buffer = Buffer.alloc(limit + 1);
  let size = 0;
  for (let read = -1; read !== 0 && size < buffer.length; size += read)
    ({ bytesRead: read } = await file.read(buffer, size, buffer.length - size));
  if (size > limit) throw valueTooLarge(`${name} has more than the ${limit} bytes allowed`);
  return buffer.subarray(0, size);
}

const unreadable = (name: string, reason: string) => verbUsage(`cannot read ${name}: ${reason}`);
