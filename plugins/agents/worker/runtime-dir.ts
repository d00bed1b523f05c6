import { lstatSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Clock, Log } from '../../../kernel/contracts/index.ts';

const PREFIX = 'svc-agent-';
const OWNER = 'owner';
/** A folder without an owner's name is one being made, or one of an agent that died in that moment. */
const NAMELESS_MS = 3_600_000;
/**
 * A Unix socket's path holds 104 bytes on every system. Executors put a folder and a socket below this one, for
 * which 40 bytes are left.
 */
const LONGEST_PATH = 64;
const SHORT_TMP = '/tmp';

/** Makes the folder that this process keeps its passes in: 0700, with a short path, removed at stop. */
export async function makeRuntimeDir(tmp: string | undefined): Promise<string> {
  const folder = await mkdtemp(join(parentFor(tmp), PREFIX));
  await writeFile(join(folder, OWNER), await identityOf(process.pid), { mode: 0o600 });
  return folder;
}

export async function removeRuntimeDir(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Removes what agents of this user left behind when they were killed. */
export async function sweepRuntimeDirs(tmp: string | undefined, clock: Clock, log: Log): Promise<void> {
  const parent = parentFor(tmp);
  const names = (await readdir(parent)).filter((name) => name.startsWith(PREFIX));
  for (const name of names) {
    const folder = join(parent, name);
    try {
      if (await isLeftBehind(folder, clock)) await removeRuntimeDir(folder);
    } catch (error) {
      log.warn({ folder, reason: (error as Error).message }, 'a folder of a dead agent could not be removed');
    }
  }
}

function parentFor(tmp: string | undefined): string {
  const parent = tmp || tmpdir();
  return Buffer.byteLength(parent) + PREFIX.length + 7 > LONGEST_PATH ? SHORT_TMP : parent;
}

async function isLeftBehind(folder: string, clock: Clock): Promise<boolean> {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory() || found.uid !== userInfo().uid) return false;
  const owner = await readFile(join(folder, OWNER), 'utf8').catch(() => '');
  const pid = Number(owner.split(' ')[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return clock.now() - found.mtimeMs > NAMELESS_MS;
  return (await identityOf(pid)) !== owner;
}

/** `<pid> <start time>`: a pid alone may have been given to another process since. Empty when there is none. */
async function identityOf(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold blanks; the start time is the 20th field after it.
    return `${pid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return isAlive(pid) ? `${pid} -` : '';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
