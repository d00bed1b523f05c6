import { access, constants, statfs } from 'node:fs/promises';

/** The `f_type` of a file system in memory. */
const TMPFS = 0x01021994;
/** A smaller one is left to others. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;
/** A longer path leaves too little for the path of a Unix socket below it. */
const MAX_PATH_LENGTH = 40;

/**
 * Returns a folder in memory for files that are written to be read once: small files take a fiftieth of the time
 * there, and no input reaches the disk. Returns undefined if there is none with enough space, or with
 * `SVC_AGENT_MEMORY=off`.
 */
export async function findMemoryFolder(env: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  if (env.SVC_AGENT_MEMORY === 'off') return undefined;
  for (const folder of [env.XDG_RUNTIME_DIR, '/dev/shm'])
    if (folder && Buffer.byteLength(folder) <= MAX_PATH_LENGTH && (await isUsableMemory(folder))) return folder;
  return undefined;
}

async function isUsableMemory(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    const { type, bavail, bsize } = await statfs(folder);
    return type === TMPFS && bavail * bsize >= MIN_FREE_BYTES;
  } catch {
    return false; // It is not there, or not for this user.
  }
}
