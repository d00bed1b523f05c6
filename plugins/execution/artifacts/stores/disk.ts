import { constants } from 'node:fs';
import { type FileHandle, link, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { failpoint, type Ids } from '../../../../kernel/contracts/index.ts';
import { ArtifactErrors } from '../errors.ts';
import type { PartStore } from './part-store.ts';

/** Contains the id of the folder. Rows name it, so that two servers with different folders notice it. */
const MARKER = 'store-id';
const READ_BYTES = 64 * 1024;
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * A folder on this machine, or one that several share, with files `<folder>/<two letters>/<content>.<part>`. Each
 * file and its name are durable before a row names it.
 */
export class DiskStore implements PartStore {
  readonly id: string;
  readonly #folder: string;

  private constructor(folder: string, id: string) {
    this.#folder = folder;
    this.id = id;
  }

  /** Creates the folder, and gives it an id at its first use. Throws `artifact_store_unavailable`. */
  static async open(folder: string, ids: Ids): Promise<DiskStore> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return new DiskStore(folder, await readOrCreateMarker(folder, ids));
    } catch (error) {
      throw toStoreError(folder, error);
    }
  }

  /** Returns a folder that was used before, or undefined. */
  static async find(folder: string): Promise<DiskStore | undefined> {
    const id = await readMarker(folder);
    return id === undefined ? undefined : new DiskStore(folder, id);
  }

  async write(blob_id: string, name: string, content: AsyncIterable<Buffer>): Promise<number> {
    const folder = this.#partFolder(blob_id);
    const path = join(folder, `${blob_id}.${name}`);
    try {
      const size = await this.#create(folder, path, content);
      failpoint('artifacts.part-written');
      return size;
    } catch (error) {
      // A file without a row is removed with its upload in any case, but scarce space should not wait for that.
      await rm(path, { force: true }).catch(() => undefined);
      throw toStoreError(folder, error);
    }
  }

  async #create(folder: string, path: string, content: AsyncIterable<Buffer>): Promise<number> {
    await this.#assertMounted();
    if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) await syncFolder(this.#folder);
    const file = await open(path, 'wx', 0o600);
    let size = 0;
    try {
      for await (const chunk of content) {
        await file.writeFile(chunk);
        size += chunk.length;
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await syncFolder(folder);
    return size;
  }

  async *read(blob_id: string, name: string, from: number, to: number): AsyncIterable<Buffer> {
    const folder = this.#partFolder(blob_id);
    let file: FileHandle | undefined;
    try {
      file = await open(join(folder, `${blob_id}.${name}`), constants.O_RDONLY | constants.O_NOFOLLOW);
      for (let at = from; at < to; ) {
        const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, to - at));
        const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
        if (bytesRead === 0) throw new Error(`the part ${name} of ${blob_id} ends at byte ${at}`);
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } catch (error) {
      throw toStoreError(folder, error);
    } finally {
      await file?.close();
    }
  }

  async remove(blob_id: string, names: readonly string[]): Promise<void> {
    try {
      await this.#assertMounted();
    } catch (error) {
      throw toStoreError(this.#folder, error);
    }
    for (const name of names) await rm(join(this.#partFolder(blob_id), `${blob_id}.${name}`), { force: true });
  }

  /** A folder that is currently not mounted is neither empty nor a place for new files. */
  async #assertMounted(): Promise<void> {
    if ((await readMarker(this.#folder)) !== this.id) throw new Error('the folder is missing or was replaced');
  }

  /** Ids differ most at their ends. */
  #partFolder(blob_id: string): string {
    return join(this.#folder, blob_id.slice(-2).toLowerCase());
  }
}

async function readMarker(folder: string): Promise<string | undefined> {
  try {
    const id = (await readFile(join(folder, MARKER), 'utf8')).trim();
    return /^disk_[0-9A-Za-z]{1,50}$/.test(id) ? id : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Returns the id of a folder, creating it if there is none. Several servers may start or be killed at once: the file
 * appears with its id in it, and the first one decides.
 */
async function readOrCreateMarker(folder: string, ids: Ids): Promise<string> {
  const existing = await readMarker(folder);
  if (existing !== undefined) return existing;
  const path = join(folder, MARKER);
  const id = ids.next('disk');
  const draft = `${path}.${id}`;
  try {
    await writeFile(draft, `${id}\n`, { flag: 'wx', mode: 0o600, flush: true });
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(folder);
  const written = await readMarker(folder);
  if (written === undefined) throw new Error(`${path} contains no ID; remove it if no artifact is stored there`);
  return written;
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Responses must not reveal paths of this machine; the cause is for the log. */
function toStoreError(folder: string, cause: unknown): Error {
  const { code = '' } = cause as NodeJS.ErrnoException;
  if (FULL.has(code)) return ArtifactErrors.storeFull('the artifact disk is full', { cause });
  const what = code === '' ? (cause as Error).message : code;
  return ArtifactErrors.storeUnavailable(`the artifact folder cannot be used (${what})`, {
    cause: new Error(`${folder}: ${(cause as Error).message}`, { cause }),
    retryAfterMs: 5000,
  });
}
