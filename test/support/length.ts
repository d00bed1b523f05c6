/** Is this `npm run test:long`, or a call with SVC_TEST_LONG=1? Else what takes minutes has a short form. */
export const isLong = process.env.SVC_TEST_LONG === '1';

/** Options of a test that only the long run holds. */
export const onlyLong = isLong ? {} : { skip: 'left to npm run test:long' };

/** The stores that a test of minutes runs on: both in the long run, else the first. */
export const storesOf = <T>(stores: Iterable<T>): T[] => [...stores].slice(0, isLong ? undefined : 1);
