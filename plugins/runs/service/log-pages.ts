import type { StoredLog } from '../contract.ts';

/** Bytes of a log that wait in memory for a reader who does not read on; and one chunk, which has up to 32 KiB. */
const PAGE_BYTES = 128 * 1024;
/** Chunks read at once, where they are large and where they are small. */
const FEW = 4;
const MANY = 32;

type Read = (run_id: string, after: string | undefined, limit: number) => Promise<StoredLog[]>;

/** A log in order, in pages of few bytes: many logs may be read at once, and their readers slow. */
export class LogPages {
  readonly #read: Read;
  readonly #run_id: string;
  #after: string | undefined;
  #limit = FEW;
  #more = true;

  constructor(read: Read, run_id: string, after: string | undefined) {
    this.#read = read;
    this.#run_id = run_id;
    this.#after = after;
  }

  /** False when the last page went to the present end. */
  get more(): boolean {
    return this.#more;
  }

  async next(): Promise<StoredLog[]> {
    const found = await this.#read(this.#run_id, this.#after, this.#limit);
    const { page, bytes } = within(found, PAGE_BYTES);
    this.#more = page.length < found.length || found.length === this.#limit;
    this.#after = page.at(-1)?.log_id ?? this.#after;
    // As many as fit, if the next ones are like these.
    const fitting = bytes === 0 ? 0 : Math.floor((PAGE_BYTES * page.length) / bytes);
    this.#limit = Math.min(Math.max(fitting, FEW), MANY);
    return page;
  }
}

/** The first chunks that have so many bytes together. The others are read again later. */
function within(found: readonly StoredLog[], most: number) {
  let bytes = 0;
  let count = 0;
  for (const { data } of found) {
    if (bytes >= most) break;
    bytes += data.length;
    count += 1;
  }
  return { page: found.slice(0, count), bytes };
}
