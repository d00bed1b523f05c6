import type { Store } from '../kit/databases.ts';

/** Is this `npm run test:long`, or a call with SVC_TEST_LONG=1? Else what takes minutes has a short form. */
export const isLong = process.env.SVC_TEST_LONG === '1';

/** Options of a test that only the long run holds. */
export const onlyLong = isLong ? {} : { skip: 'left to npm run test:long' };

/**
 * Options of a test on one store. A run of the gate names one of the two by the turn of the commit (SVC_TEST_STORE), and the
 * next commit names the other.
 */
export const inTurn = (store: Store) =>
  [undefined, store].includes(process.env.SVC_TEST_STORE as Store | undefined)
    ? {}
    : { skip: 'left to the other store at this commit' };

/** The stores that a test of minutes runs on: both in the long run, else the first. */
export const storesOf = <T>(stores: Iterable<T>): T[] => [...stores].slice(0, isLong ? undefined : 1);
