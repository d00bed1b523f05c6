import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../domain/digests.ts';

/** Maximum bytes of the contents that an agent keeps for later passes. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Caches the most recently used contents in an agent's private folder. A script of its user may modify them, so
 * digests are verified.
 */
export class ContentCache {
  readonly #folder: string;
  /** Sizes by digest, the most recently used last. */
  readonly #sizes = new Map<string, number>();
  readonly #fetches = new Map<string, Promise<Buffer>>();
  #bytes = 0;
  #drafts = 0;

  constructor(runtime_dir: string) {
    this.#folder = join(runtime_dir, 'contents');
  }

  /**
   * Returns a content, using `fetch` if it is not cached. Requests for a content that is being fetched share that
   * fetch.
   */
  async get(hex: string, fetch: () => Promise<Buffer>): Promise<Buffer> {
    const cached = await this.#read(hex);
    if (cached) return cached;
    const in_flight = this.#fetches.get(hex);
    // What fails for one claim need not fail for another.
    if (in_flight) return in_flight.catch(fetch);
    const fetched = fetch();
    this.#fetches.set(hex, fetched);
    try {
      const data = await fetched;
      await this.#store(hex, data);
      return data;
    } finally {
      this.#fetches.delete(hex);
    }
  }

  async #read(hex: string): Promise<Buffer | undefined> {
    const size = this.#sizes.get(hex);
    if (size === undefined) return undefined;
    const data = await readFile(join(this.#folder, hex)).catch(() => undefined);
    if (data && sha256(data) === hex) {
      this.#sizes.delete(hex);
      this.#sizes.set(hex, size);
      return data;
    }
    await this.#drop(hex, size);
    return undefined;
  }

  /** A full disk is no error; the content is simply fetched again. */
  async #store(hex: string, data: Buffer): Promise<void> {
    const draft = join(this.#folder, `draft-${this.#drafts++}`);
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await writeFile(draft, data, { mode: 0o600, flag: 'wx' });
      await rename(draft, join(this.#folder, hex));
    } catch {
      await rm(draft, { force: true });
      return;
    }
    this.#bytes += data.length - (this.#sizes.get(hex) ?? 0);
    this.#sizes.delete(hex);
    this.#sizes.set(hex, data.length);
    for (const [oldest, size] of this.#sizes) {
      if (this.#bytes <= MAX_BYTES) break;
      await this.#drop(oldest, size);
    }
  }

  async #drop(hex: string, size: number): Promise<void> {
    if (!this.#sizes.delete(hex)) return;
    this.#bytes -= size;
    await rm(join(this.#folder, hex), { force: true });
  }
}
