import { lstatSync } from 'node:fs';
import { mkdtemp, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock, Log } from '../../../kernel/contracts/index.ts';
import { removeFolder } from './remove-folder.ts';
import { takeBack } from './take-back.ts';

const PREFIX = 'svc-agent-';
const OWNER = 'owner';
/** A folder without an owner's name is being created, or its agent died at that moment. */
const NAMELESS_MS = 3_600_000;
/**
 * The path of a Unix socket has at most 104 bytes on every system. Executors create a folder and a socket below this
 * one and need 40 bytes.
 */
const MAX_PATH_LENGTH = 64;
const SHORT_TMP = '/tmp';
/** Creates a folder of this process, for passes or other short work: mode 0700, a short path, to be removed at stop. */
export async function makeRuntimeDir(tmp: string | undefined): Promise<string> {
  const folder = await mkdtemp(join(parentFor(tmp), PREFIX));
  await writeFile(join(folder, OWNER), `${await identityOf(process.pid)}\n${await namespaceOf()}`, { mode: 0o600 });
  return folder;
}

export async function removeRuntimeDir(folder: string): Promise<void> {
  if (process.getuid?.() === 0) await takeBack(folder);
  await removeFolder(folder);
}

/** Removes folders that killed processes of this user left behind. */
export async function sweepRuntimeDirs(tmp: string | undefined, clock: Clock, log: Log): Promise<void> {
  const parent = parentFor(tmp);
  const names = (await readdir(parent)).filter((name) => name.startsWith(PREFIX));
  for (const name of names) {
    const folder = join(parent, name);
    try {
      if (await isLeftBehind(folder, clock)) await removeRuntimeDir(folder);
    } catch (error) {
      log.warn({ folder, reason: (error as Error).message }, 'removing the folder of a dead process failed');
    }
  }
}

function parentFor(tmp: string | undefined): string {
  const parent = tmp || tmpdir();
  return Buffer.byteLength(parent) + PREFIX.length + 7 > MAX_PATH_LENGTH ? SHORT_TMP : parent;
}

async function isLeftBehind(folder: string, clock: Clock): Promise<boolean> {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  // By number: a user of a container may have no name.
  if (!found?.isDirectory() || found.uid !== process.getuid?.()) return false;
  const [owner = '', namespace = ''] = (await readFile(join(folder, OWNER), 'utf8').catch(() => '')).split('\n');
  // Containers may share the folder, and each counts its processes anew.
  if (namespace !== '' && namespace !== (await namespaceOf())) return false;
  const pid = Number(owner.split(' ')[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return clock.now() - found.mtimeMs > NAMELESS_MS;
  return (await identityOf(pid)) !== owner;
}

/** `<pid> <start time>`, because a pid may be reused by another process. Empty when the process does not exist. */
async function identityOf(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain spaces. The start time is the 20th field after it.
    return `${pid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return isAlive(pid) ? `${pid} -` : '';
  }
}

/** Names the namespace in which process ids count; empty where the system has none. */
async function namespaceOf(): Promise<string> {
  return readlink('/proc/self/ns/pid').catch(() => '');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
