import { randomBytes } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { Clock, Ids } from '../../contracts/index.ts';

/** Random bytes are fetched this many at a time: one by one they cost more than all else of an id. */
const FETCHED = 4096;

/** Numbers from 0 to 1 of the system's randomness, a byte each: enough for letters of which there are 32. */
function randomNumbers(): () => number {
  let fetched = Buffer.alloc(0);
  let used = 0;
  return () => {
    if (used === fetched.length) {
      fetched = randomBytes(FETCHED);
      used = 0;
    }
    return fetched[used++]! / 256;
  };
}

/** ULIDs: time-ordered across processes to the millisecond, strictly rising within this one. */
export function createIds(clock: Clock): Ids {
  const ulid = monotonicFactory(randomNumbers());
  return {
    next: (prefix) => `${prefix}_${ulid(clock.now())}`,
    bytes: (count) => randomBytes(count),
  };
}
