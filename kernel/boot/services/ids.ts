import { randomBytes } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { Clock, Ids } from '../../contracts/index.ts';

/** Random bytes are fetched in blocks: single small requests cost more than the work they are for. */
const FETCHED = 4096;
/** Requests up to this size are served from the block: nonces and letters of ids, but never keys. */
const FEW = 16;

/** The system's randomness in small portions. Used bytes are wiped here. */
class FewBytes {
  #fetched = Buffer.alloc(0);
  #used = 0;

  take(count: number): Buffer {
    this.#see(count);
    const from = this.#fetched.subarray(this.#used, this.#used + count);
    this.#used += count;
    const taken = Buffer.from(from);
    from.fill(0);
    return taken;
  }

  /** From 0 to 1 with the precision of one byte: enough to choose one of 32 letters. */
  number(): number {
    this.#see(1);
    return this.#fetched[this.#used++]! / 256;
  }

  /** Makes sure that this many bytes are available. */
  #see(count: number): void {
    if (this.#used + count <= this.#fetched.length) return;
    this.#fetched = randomBytes(FETCHED);
    this.#used = 0;
  }
}

/** ULIDs: time-ordered across processes to the millisecond, strictly rising within this one. */
export function createIds(clock: Clock): Ids {
  const few = new FewBytes();
  const ulid = monotonicFactory(() => few.number());
  return {
    next: (prefix) => `${prefix}_${ulid(clock.now())}`,
    bytes: (count) => (count <= FEW ? few.take(count) : randomBytes(count)),
  };
}
