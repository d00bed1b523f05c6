import { closeSync, openSync, readlinkSync, readSync, statSync } from 'node:fs';

/** A program as it lies on the disk, so that an upgrade is seen. */
export interface ProgramFile {
  path: string;
  identity: string;
}

/** Undefined when it cannot be read. */
export function programFile(path: string): ProgramFile | undefined {
  const identity = identityOf(path);
  return identity === undefined ? undefined : { path, identity };
}

/** The program that a process runs: behind a wrapper it is another than the one that was started. */
export function programOf(pid: number): ProgramFile | undefined {
  try {
    return programFile(readlinkSync(`/proc/${pid}/exe`));
  } catch {
    // The process is gone.
    return undefined;
  }
}

export const isUnchanged = ({ path, identity }: ProgramFile): boolean => identityOf(path) === identity;

function identityOf(path: string): string | undefined {
  try {
    const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true });
    return [dev, ino, size, mtimeNs].join(':');
  } catch {
    // It is gone, or not to be seen: not the one that was there.
    return undefined;
  }
}

/** True for a program that is itself a script, such as the wrappers of pyenv and asdf; also when that cannot be told. */
export function isScript(path: string): boolean {
  const start = Buffer.alloc(2);
  try {
    const file = openSync(path, 'r');
    try {
      return readSync(file, start) < 2 || start.toString('latin1') === '#!';
    } finally {
      closeSync(file);
    }
  } catch {
    return true;
  }
}
