import { spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const PREFIX = 'svc-';
const OWNER = 'owner';

/** Bytes. The tests have used a quarter of a GiB at most, on two cores, beside what their processes take. */
const ROOM = 4 * 1024 ** 3;
const MEMORY_LEFT = 8 * 1024 ** 3;

export interface MemoryFolder {
  path: string;
  /** Safe to call twice. */
  remove(): void;
}

/**
 * A folder in memory for what tests write; undefined where there is none with room, or whoever runs the tests has named a
 * folder (TMPDIR). Tests kill processes and database servers, never the machine: what they write must outlive a process,
 * which it does here too, and a commit need not wait for a disk. Each MySQL database of a test is made four times as fast.
 */
export function memoryFolder(): MemoryFolder | undefined {
  if (process.env.TMPDIR !== undefined || !hasRoom()) return undefined;
  sweep();
  const path = mkdtempSync(join(MEMORY, PREFIX));
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  process.once('exit', remove);
  writeFileSync(join(path, OWNER), String(process.pid));
  // A database server that runs as its own user writes here, as in /tmp.
  chmodSync(path, 0o1777);
  if (runsPrograms(path)) return { path, remove };
  remove();
  return undefined;
}

function hasRoom(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ROOM && process.availableMemory() >= MEMORY_LEFT;
  } catch {
    return false; // Another system than Linux, or a container without it.
  }
}

/** Removes what runs that were killed have left: nothing else would before the machine restarts. */
function sweep(): void {
  for (const name of readdirSync(MEMORY).filter((one) => one.startsWith(PREFIX))) {
    const owner = join(MEMORY, name, OWNER);
    // The folders of agents name their owner too, and more about it: they are theirs to remove.
    if (lstatSync(join(MEMORY, name)).uid !== process.getuid?.()) continue;
    const pid = existsSync(owner) ? /^\d+$/.exec(readFileSync(owner, 'utf8'))?.[0] : undefined;
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(MEMORY, name), { recursive: true, force: true });
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
