import { randomBytes } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { chmod, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Removes a folder in which programs worked that have ended. They may have locked folders against their owner, and
 * nested them so deep that no path reaches the innermost; those are moved up one level at a time.
 */
export async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    await new DeepRemoval(folder).run();
  }
}

class DeepRemoval {
  readonly #folder: string;
  readonly #prefix = `.${randomBytes(9).toString('hex')}-`;
  #count = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async run(): Promise<void> {
    await ignoreMissing(() => chmod(this.#folder, 0o700));
    for (let entries = await listEntries(this.#folder); entries.length > 0; entries = await listEntries(this.#folder))
      for (const entry of entries) {
        const path = join(this.#folder, entry.name);
        await (entry.isDirectory() ? this.#flatten(path) : ignoreMissing(() => unlink(path)));
      }
    await ignoreMissing(() => rmdir(this.#folder));
  }

  /** Removes a subfolder after moving its own subfolders to the top. */
  async #flatten(path: string): Promise<void> {
    await ignoreMissing(() => chmod(path, 0o700));
    for (const entry of await listEntries(path)) {
      const child = join(path, entry.name);
      if (!entry.isDirectory()) await ignoreMissing(() => unlink(child));
      else {
        await ignoreMissing(() => chmod(child, 0o700));
        await ignoreMissing(() => rename(child, join(this.#folder, `${this.#prefix}${this.#count++}`)));
      }
    }
    await ignoreMissing(() => rmdir(path));
  }
}

async function listEntries(folder: string): Promise<Dirent[]> {
  let entries: Dirent[] = [];
  await ignoreMissing(async () => {
    entries = await readdir(folder, { withFileTypes: true });
  });
  return entries;
}

/** Ignores missing files: a removal that Node gave up still goes on for a moment. */
async function ignoreMissing(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
