import type { StoredLog } from '../../../engine/runs/contract.ts';

/** Bytes of a log that wait in memory for a reader who does not read on, beside one chunk, which has 64 KiB in most cases and 128 KiB at most. */
const PAGE_BYTES = 128 * 1024;
/** Chunks that one page reads, where they are large and where they are small. */
const MIN_CHUNKS = 4;
const MAX_CHUNKS = 32;

type Read = (run_id: string, after: string | undefined, limit: number) => Promise<StoredLog[]>;

/** A log in order, in pages of few bytes: many logs may be read at once, and their readers slow. */
export class LogPages {
  readonly #read: Read;
  readonly #run_id: string;
  #after: string | undefined;
  #limit = MIN_CHUNKS;
  #more = true;

  constructor(read: Read, run_id: string, after: string | undefined) {
    this.#read = read;
    this.#run_id = run_id;
    this.#after = after;
  }

  /** False when the last page reached the present end. */
  get hasMore(): boolean {
    return this.#more;
  }

  async next(): Promise<StoredLog[]> {
    const found = await this.#read(this.#run_id, this.#after, this.#limit);
    const { page, bytes } = takePage(found, PAGE_BYTES);
    this.#more = page.length < found.length || found.length === this.#limit;
    this.#after = page.at(-1)?.log_id ?? this.#after;
    // As many chunks as fit, if the next ones are like these.
    const count = bytes === 0 ? 0 : Math.floor((PAGE_BYTES * page.length) / bytes);
    this.#limit = Math.min(Math.max(count, MIN_CHUNKS), MAX_CHUNKS);
    return page;
  }
}

/** The first chunks that have so many bytes together. The others are read again later. */
function takePage(found: readonly StoredLog[], max_bytes: number) {
  let bytes = 0;
  let count = 0;
  for (const { data } of found) {
    if (bytes >= max_bytes) break;
    bytes += data.length;
    count += 1;
  }
  return { page: found.slice(0, count), bytes };
}
