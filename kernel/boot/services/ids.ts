import { randomBytes } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { Clock, Ids } from '../../contracts/index.ts';

/** ULIDs: time-ordered across processes to the millisecond, strictly rising within this one. */
export function createIds(clock: Clock): Ids {
  const ulid = monotonicFactory();
  return {
    next: (prefix) => `${prefix}_${ulid(clock.now())}`,
    bytes: (count) => randomBytes(count),
  };
}
