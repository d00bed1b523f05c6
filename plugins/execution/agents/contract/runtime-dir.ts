import { lstatSync } from 'node:fs';
import { mkdtemp, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock, Log } from '../../../../kernel/contracts/index.ts';
import { removeFolder } from './remove-folder.ts';
import { reclaimFolder } from './reclaim-folder.ts';

const PREFIX = 'svc-agent-';
const OWNER = 'owner';
/** A folder without an owner file is being created, or its agent died at that moment. */
const OWNERLESS_MS = 3_600_000;
/**
 * The path of a Unix socket has at most 104 bytes on every system. Executors create a folder and a socket below this
 * one, which takes 40 bytes.
 */
const MAX_PATH_LENGTH = 64;
const SHORT_TMP = '/tmp';

/**
 * Creates a folder of this process for passes or other short work, with mode 0700 and a short path. It is removed at
 * stop.
 */
export async function makeRuntimeDir(tmp: string | undefined): Promise<string> {
  const folder = await mkdtemp(join(chooseParent(tmp), PREFIX));
  await writeFile(join(folder, OWNER), `${await readProcessIdentity(process.pid)}\n${await readPidNamespace()}`, {
    mode: 0o600,
  });
  return folder;
}

export async function removeRuntimeDir(folder: string): Promise<void> {
  if (process.getuid?.() === 0) await reclaimFolder(folder);
  await removeFolder(folder);
}

/** Removes folders that killed processes of this user left behind. */
export async function sweepRuntimeDirs(tmp: string | undefined, clock: Clock, log: Log): Promise<void> {
  const parent = chooseParent(tmp);
  const names = (await readdir(parent)).filter((name) => name.startsWith(PREFIX));
  for (const name of names) {
    const folder = join(parent, name);
    try {
      if (await isOrphaned(folder, clock)) await removeRuntimeDir(folder);
    } catch (error) {
      log.warn({ folder, reason: (error as Error).message }, 'removing the folder of a dead process failed');
    }
  }
}

function chooseParent(tmp: string | undefined): string {
  const parent = tmp || tmpdir();
  return Buffer.byteLength(parent) + PREFIX.length + 7 > MAX_PATH_LENGTH ? SHORT_TMP : parent;
}

async function isOrphaned(folder: string, clock: Clock): Promise<boolean> {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  // Compares numbers, because a user in a container may have no name.
  if (!stats?.isDirectory() || stats.uid !== process.getuid?.()) return false;
  const [owner = '', namespace = ''] = (await readFile(join(folder, OWNER), 'utf8').catch(() => '')).split('\n');
  // Containers may share the folder, and each counts its processes separately.
  if (namespace !== '' && namespace !== (await readPidNamespace())) return false;
  const pid = Number(owner.split(' ')[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return clock.now() - stats.mtimeMs > OWNERLESS_MS;
  return (await readProcessIdentity(pid)) !== owner;
}

/**
 * Returns `<pid> <start time>`, because a pid may be reused by another process, or '' if the process does not exist.
 */
async function readProcessIdentity(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain spaces. The start time is the 20th field after it.
    return `${pid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return isProcessAlive(pid) ? `${pid} -` : '';
  }
}

/** Returns the namespace in which process ids count, or '' on systems without namespaces. */
async function readPidNamespace(): Promise<string> {
  return readlink('/proc/self/ns/pid').catch(() => '');
}

/** Tells whether a process exists, also one of another user. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
