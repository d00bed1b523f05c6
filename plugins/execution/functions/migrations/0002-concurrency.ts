import { migration } from '../../../../kernel/contracts/index.ts';

/** What a page about a function shows of its options. */
export const concurrencyColumn = migration('0002-concurrency', [
  'ALTER TABLE functions_functions ADD COLUMN concurrency {int}',
]);
