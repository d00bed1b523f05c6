import { randomBytes } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { chmod, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Removes a folder in which programs worked that have ended. They may have closed folders against their owner, and nested
 * them so deep that no path names the last one: then what lies deep is brought up, one level at a time.
 */
export async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    await new Removal(folder).run();
  }
}

class Removal {
  readonly #folder: string;
  readonly #prefix = `.${randomBytes(9).toString('hex')}-`;
  #count = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async run(): Promise<void> {
    await unlessGone(() => chmod(this.#folder, 0o700));
    for (let left = await contents(this.#folder); left.length > 0; left = await contents(this.#folder))
      for (const entry of left) {
        const path = join(this.#folder, entry.name);
        await (entry.isDirectory() ? this.#flatten(path) : unlessGone(() => unlink(path)));
      }
    await unlessGone(() => rmdir(this.#folder));
  }

  /** Removes a folder below, whose own folders take its place. */
  async #flatten(path: string): Promise<void> {
    await unlessGone(() => chmod(path, 0o700));
    for (const entry of await contents(path)) {
      const below = join(path, entry.name);
      if (!entry.isDirectory()) await unlessGone(() => unlink(below));
      else {
        await unlessGone(() => chmod(below, 0o700));
        await unlessGone(() => rename(below, join(this.#folder, `${this.#prefix}${this.#count++}`)));
      }
    }
    await unlessGone(() => rmdir(path));
  }
}

async function contents(folder: string): Promise<Dirent[]> {
  let found: Dirent[] = [];
  await unlessGone(async () => {
    found = await readdir(folder, { withFileTypes: true });
  });
  return found;
}

/** A removal that Node gave up goes on for a moment with what it had begun. */
async function unlessGone(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
