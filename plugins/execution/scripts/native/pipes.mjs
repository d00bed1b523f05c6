// For the spawner without a compiler: real pipes, which Node can only create through named pipes.
import { execFile } from 'node:child_process';
import { closeSync, constants, openSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

const POOL = 32;
const pool = [];
let refilling;
let fifos = 0;

/** Paths of prepared pipes: one run of mkfifo creates many. */
function refill(runtimeFolder) {
  const made = Array.from({ length: POOL }, () => join(runtimeFolder, `.pipe-${process.pid}-${++fifos}`));
  return new Promise((resolve) => {
    execFile('mkfifo', ['-m', '600', ...made], (error) => {
      if (!error) pool.push(...made);
      resolve();
    });
  });
}

/**
 * A real pipe each for stdout and stderr: Node's own would be a socket, which /dev/stdout cannot open. The held end
 * keeps the inode number from being reused while holders are searched.
 */
export async function makePipes(runtimeFolder) {
  if (pool.length < 2) await (refilling ??= refill(runtimeFolder).finally(() => (refilling = undefined)));
  const ends = [];
  for (const path of pool.splice(0, 2))
    try {
      const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      ends.push({ read });
      ends.at(-1).held = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      ends.at(-1).write = openSync(path, constants.O_WRONLY);
    } catch {
      // Out of descriptors: Node reports this better when it creates its own.
    } finally {
      unlinkSync(path);
    }
  if (ends.length === 2 && ends.every(({ write }) => write !== undefined)) return ends;
  for (const { read, held, write } of ends) closeAll([read, held, write]);
  return undefined;
}

export function closeAll(descriptors) {
  for (const fd of descriptors) if (fd !== undefined) closeSync(fd);
}

/** Removes paths that no process uses. */
export function dropPipes() {
  for (const path of pool.splice(0)) rmSync(path, { force: true });
}
