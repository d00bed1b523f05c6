// For the spawner where there is no compiler: real pipes, which Node can only make by way of named ones.
import { execFile } from 'node:child_process';
import { closeSync, constants, openSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

const POOL = 32;
const pool = [];
let refilling;
let fifos = 0;

/** Paths of pipes for the next processes: one run of mkfifo makes many. */
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
 * A real pipe each for stdout and stderr: what Node makes by itself is a socket, which /dev/stdout cannot open. Its
 * end that is held keeps the number of its inode from going to a file of somebody else while holders are looked for.
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
      // Out of descriptors: Node says so better when it makes its own.
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

/** Takes away the paths that no process has got. */
export function dropPipes() {
  for (const path of pool.splice(0)) rmSync(path, { force: true });
}
