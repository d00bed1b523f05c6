import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * Groups of untrusted runs, and groups in which a run has replaced those before it: `replaced_below` is its ticket,
 * `replaced_by` its id.
 */
export const trustAndReplacement = migration('0003-trust-and-replacement', [
  'ALTER TABLE locks_groups ADD COLUMN untrusted {flag}',
  'ALTER TABLE locks_groups ADD COLUMN replaced_below {int}',
  'ALTER TABLE locks_groups ADD COLUMN replaced_by {id}',
]);
