import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, lchown, lstat, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const EMPTY_MS = 60_000;
/** Programs may have locked folders against their owner. */
const EMPTY_SCRIPT = 'cd "$0" || exit 0; chmod -R u+rwX . 2>/dev/null; rm -rf -- ..?* .[!.]* *';

/**
 * Makes root the owner again of folders below `folder` that were given to other users, so that they can be removed. A
 * program that still runs as such a user could replace folders by links while root removes them, and root would follow
 * one to anywhere. Each user's own processes empty its folder, and root then takes whatever is left. Only for root.
 */
export async function reclaimFolder(folder: string): Promise<void> {
  for (const entry of await listEntries(folder)) {
    if (!entry.isDirectory()) continue;
    const path = join(folder, entry.name);
    const { uid, gid } = await lstat(path);
    if (uid === 0) {
      await reclaimFolder(path);
      continue;
    }
    await emptyAs(path, { uid, gid });
    await transferTree(path);
  }
}

/** Nothing depends on its success, because programs of this user can hinder it. */
async function emptyAs(path: string, user: { uid: number; gid: number }): Promise<void> {
  const options = { ...user, cwd: '/', env: { PATH: '/usr/bin:/bin' }, timeout: EMPTY_MS };
  await run('/bin/sh', ['-c', EMPTY_SCRIPT, path], options).catch(() => undefined);
}

/**
 * Takes a folder and every folder below it, from the top down: once a folder belongs to root alone, nobody can replace
 * what is in it, not even through an open descriptor. Nested folders move to the top, because no path may reach the
 * innermost.
 */
async function transferTree(top: string): Promise<void> {
  const prefix = `.${randomBytes(9).toString('hex')}-`;
  let count = 0;
  await transfer(top);
  const taken = [top];
  for (let at = taken.pop(); at !== undefined; at = taken.pop())
    for (const entry of await listEntries(at)) {
      if (!entry.isDirectory()) continue;
      const found = join(at, entry.name);
      await transfer(found);
      const path = at === top ? found : join(top, `${prefix}${count++}`);
      if (path !== found) await rename(found, path);
      taken.push(path);
    }
}

/** The folder around it must belong to root, so that the path cannot lead elsewhere. */
async function transfer(folder: string): Promise<void> {
  await lchown(folder, 0, 0);
  await chmod(folder, 0o700);
}

async function listEntries(folder: string) {
  return readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}
