import { migration } from '../../../../kernel/contracts/index.ts';

const OF_UNTRUSTED_RUNS = 'run_id IN (SELECT run_id FROM runs_runs WHERE trusted = 0)';

/**
 * `takes_untrusted` is 1 where events that untrusted runs emit are taken: in waits that say so, and in waits and cancels of
 * untrusted runs. A server of an older version arms without it, so that NULL must be the careful answer.
 */
export const untrusted = migration('0005-untrusted', [
  'ALTER TABLE bus_waits ADD COLUMN takes_untrusted {flag}',
  'ALTER TABLE bus_cancels ADD COLUMN takes_untrusted {flag}',
  `UPDATE bus_waits SET takes_untrusted = 1 WHERE ${OF_UNTRUSTED_RUNS}`,
  `UPDATE bus_cancels SET takes_untrusted = 1 WHERE ${OF_UNTRUSTED_RUNS}`,
]);
