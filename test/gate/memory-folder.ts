import { spawnSync } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';

/** Bytes. The tests of one run have used 1 GiB at most, beside what their processes take. */
const ROOM = 4 * 1024 ** 3;
const MEMORY_LEFT = 8 * 1024 ** 3;

/**
 * A folder in memory for what tests write, removed with this process; undefined where there is none with room, or whoever
 * runs the tests has named a folder (TMPDIR). Tests kill processes and database servers, never the machine: what they write
 * must outlive a process, which it does here too, and a commit need not wait for a disk. Each MySQL database of a test is
 * made four times as fast.
 */
export function memoryFolder(): string | undefined {
  if (process.env.TMPDIR !== undefined || !hasRoom()) return undefined;
  const folder = mkdtempSync(join(MEMORY, 'svc-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  // A database server that runs as its own user writes here, as in /tmp.
  chmodSync(folder, 0o1777);
  return runsPrograms(folder) ? folder : undefined;
}

function hasRoom(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ROOM && freemem() >= MEMORY_LEFT;
  } catch {
    return false; // Another system than Linux, or a container without it.
  }
}

/** Some machines mount it `noexec`. */
function runsPrograms(folder: string): boolean {
  const program = join(folder, 'runs');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}
