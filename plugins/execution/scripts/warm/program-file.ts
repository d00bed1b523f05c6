import { closeSync, openSync, readlinkSync, readSync, statSync } from 'node:fs';

/** Identifies a program file on the disk, so that an upgrade is noticed. */
export interface ProgramFile {
  path: string;
  identity: string;
}

/** Returns undefined when the file cannot be read. */
export function programFile(path: string): ProgramFile | undefined {
  const identity = programIdentity(path);
  return identity === undefined ? undefined : { path, identity };
}

/** Returns the program that a process runs. Behind a wrapper, it differs from the one that was started. */
export function readProcessProgram(pid: number): ProgramFile | undefined {
  try {
    return programFile(readlinkSync(`/proc/${pid}/exe`));
  } catch {
    // The process has ended.
    return undefined;
  }
}

export const isUnchanged = ({ path, identity }: ProgramFile): boolean => programIdentity(path) === identity;

function programIdentity(path: string): string | undefined {
  try {
    const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true });
    return [dev, ino, size, mtimeNs].join(':');
  } catch {
    // The file was removed or cannot be read, so it is not the one that was there.
    return undefined;
  }
}

/**
 * Returns true for a program that is itself a script, such as the wrappers of pyenv and asdf, and also when that is
 * unknown.
 */
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
