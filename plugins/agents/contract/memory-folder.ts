import { access, constants, statfs } from 'node:fs/promises';

/** `f_type` of a file system that lives in memory. */
const TMPFS = 0x01021994;
/** A smaller one is kept for others. */
const ROOMY_BYTES = 64 * 1024 * 1024;
/** A longer path leaves too little for the path of a Unix socket below it. */
const MAX_PATH_LENGTH = 40;

/**
 * A folder on memory for what is written to be read once: there a small file takes a fiftieth of the time, and no input
 * reaches the disk. Undefined where there is none with room, and with `SVC_AGENT_MEMORY=off`.
 */
export async function memoryParent(env: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  if (env.SVC_AGENT_MEMORY === 'off') return undefined;
  for (const folder of [env.XDG_RUNTIME_DIR, '/dev/shm'])
    if (folder && Buffer.byteLength(folder) <= MAX_PATH_LENGTH && (await isRoomyMemory(folder))) return folder;
  return undefined;
}

async function isRoomyMemory(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    const { type, bavail, bsize } = await statfs(folder);
    return type === TMPFS && bavail * bsize >= ROOMY_BYTES;
  } catch {
    return false; // It is not there, or not for this user.
  }
}
