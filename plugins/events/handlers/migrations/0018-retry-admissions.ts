import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * Retries of handlers that limit their own runs. `admission`: the group whose runs are limited together, as in
 * `handlers_runs`; null without a limit. `untrusted`: 1 for the retry of an untrusted run, else null. `waiting`: 1 while a due
 * retry waits for a place of its group, which new deliveries then leave to it; else null.
 */
const statements = [
  'ALTER TABLE handlers_retries ADD COLUMN admission {id}',
  'ALTER TABLE handlers_retries ADD COLUMN untrusted {flag}',
  'ALTER TABLE handlers_retries ADD COLUMN waiting {flag}',
  'CREATE INDEX handlers_retries_admission ON handlers_retries (project_id, waiting, admission, untrusted)',
];

export const retryAdmissions = migration('0018-retry-admissions', statements, { additive: true });
