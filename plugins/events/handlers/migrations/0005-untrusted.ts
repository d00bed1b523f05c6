import { migration } from '../../../../kernel/contracts/index.ts';

/** Untrusted handler runs have places of their own, and those that wait for one are passed by trusted ones. */
export const untrusted = migration('0005-untrusted', [
  'ALTER TABLE handlers_runs ADD COLUMN untrusted {flag}',
  'UPDATE handlers_runs SET untrusted = 1 WHERE run_id IN (SELECT run_id FROM runs_runs WHERE trusted = 0)',
  'CREATE INDEX handlers_queue_trust ON handlers_queue (project_id, trusted, event_seq, name)',
]);
