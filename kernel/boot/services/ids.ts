import { randomBytes } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { Clock, Ids } from '../../contracts/index.ts';

/** Random bytes are fetched in blocks, because a small request costs more than the work it is for. */
const POOL_BYTES = 4096;
/** Requests of up to this size are served from the block: nonces and the letters of ids, but never keys. */
const MAX_POOLED_BYTES = 16;

/** Hands out the system's randomness in small portions, and wipes each byte once it is used. */
class RandomPool {
  #pool = Buffer.alloc(0);
  #offset = 0;

  read(count: number): Buffer {
    this.#refill(count);
    const source = this.#pool.subarray(this.#offset, this.#offset + count);
    this.#offset += count;
    const bytes = Buffer.from(source);
    source.fill(0);
    return bytes;
  }

  /** Returns a number from 0 to 1 with the precision of one byte, which is enough to choose one of 32 letters. */
  unitInterval(): number {
    this.#refill(1);
    return this.#pool[this.#offset++]! / 256;
  }

  /** Makes sure that this many bytes are available. */
  #refill(count: number): void {
    if (this.#offset + count <= this.#pool.length) return;
    this.#pool = randomBytes(POOL_BYTES);
    this.#offset = 0;
  }
}

/** Makes ULIDs: ordered by time across processes to the millisecond, and strictly increasing within this one. */
export function createIds(clock: Clock): Ids {
  const pool = new RandomPool();
  const ulid = monotonicFactory(() => pool.unitInterval());
  return {
    next: (prefix) => `${prefix}_${ulid(clock.now())}`,
    bytes: (count) => (count <= MAX_POOLED_BYTES ? pool.read(count) : randomBytes(count)),
  };
}
