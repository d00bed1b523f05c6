import { migration } from '../../../kernel/contracts/index.ts';

/**
 * `takes_untrusted` is 1 where events that untrusted runs emit are taken: in waits that say so, and in waits and cancels of
 * untrusted runs. A server of an older version arms without it, so that NULL must be the careful answer.
 */
export const untrusted = migration(
  '0005-untrusted',
  ['bus_waits', 'bus_cancels'].flatMap((table) => [
    `ALTER TABLE ${table} ADD COLUMN takes_untrusted {flag}`,
    `UPDATE ${table} SET takes_untrusted = 1 WHERE run_id IN (SELECT run_id FROM runs_runs WHERE trusted = 0)`,
  ]),
);
