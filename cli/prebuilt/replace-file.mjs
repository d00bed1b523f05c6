// Replaces files of a cache that other processes read meanwhile.
const { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } =
  process.getBuiltinModule('node:fs');
const { join } = process.getBuiltinModule('node:path');

/** Replaces a file atomically. After a power failure too, it has the old contents or all of the new ones. */
export function replaceFile(path, ...chunks) {
  const partial = `${path}.${process.pid}`;
  try {
    const file = openSync(partial, 'w', 0o600);
    try {
      for (const chunk of chunks) writeFileSync(file, chunk);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

const PARTIAL = /(^home|\.(compiled|js|json|positions))\.\d+$/;
/** Nobody writes a file for so long. */
const MAX_WRITE_MS = 600_000;

/** Removes what processes left that were killed while they wrote a file. */
export function removePartials(folder) {
  for (const path of readdirSync(folder)
    .filter((name) => PARTIAL.test(name))
    .map((name) => join(folder, name))) {
    const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && Date.now() - since > MAX_WRITE_MS) rmSync(path, { force: true });
  }
}
