import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { valueTooLarge, verbUsage } from '../../replay/contract.ts';
import { pathIn, wholeMachine } from './file-room.ts';
import type { VerbCall } from './verb.ts';

/** Names that mean another file in every process: `/dev/stdin`, and what bash makes of `<(command)`. */
const OF_ITS_PROCESS = /^\/(dev\/(stdin|stdout|stderr|tty|fd)|proc\/(self|thread-self))(\/|$)/;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
};

/** `reason`: of a room that shows only some files. */
type Refusal = NodeJS.ErrnoException & { reason?: string };

/**
 * A file that a script names, read by the agent. Only regular ones: a pipe would hold the agent up until somebody writes,
 * and a device may have no end. Throws `verb_usage`, and `value_too_large` beyond `limit` bytes.
 */
export async function readGivenFile(
  call: Pick<VerbCall, 'cwd' | 'room'>,
  name: string,
  limit: number,
): Promise<Buffer> {
  const path = pathIn(call.cwd, name);
  if (OF_ITS_PROCESS.test(path))
    throw unreadable(
      name,
      'it is open in the caller only, and the agent reads it; write - and redirect standard input',
    );
  const { room = wholeMachine } = call;
  const file = await room.open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: Refusal) => {
    throw unreadable(name, error.reason ?? REASONS[error.code ?? ''] ?? error.message);
  });
  try {
    return await readRegular(file, name, limit);
  } finally {
    await file.close();
  }
}

async function readRegular(file: FileHandle, name: string, limit: number): Promise<Buffer> {
  const found = await file.stat();
  if (found.isDirectory()) throw unreadable(name, REASONS.EISDIR!);
  if (!found.isFile()) throw unreadable(name, 'it is no regular file; write - and redirect standard input');
  if (found.size > limit)
    throw valueTooLarge(`${name} has ${found.size} bytes, ${found.size - limit} more than the ${limit} taken`);
  // It may grow meanwhile, or not know its size, as files below /proc.
  const buffer = Buffer.alloc(limit + 1);
  let size = 0;
  for (let read = -1; read !== 0 && size < buffer.length; size += read)
    ({ bytesRead: read } = await file.read(buffer, size, buffer.length - size));
  if (size > limit) throw valueTooLarge(`${name} has more than the ${limit} bytes taken`);
  return buffer.subarray(0, size);
}

const unreadable = (name: string, reason: string) => verbUsage(`cannot read ${name}: ${reason}`);
