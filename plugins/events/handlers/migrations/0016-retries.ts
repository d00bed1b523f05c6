import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * Runs of handlers that are retried. `attempt`: 1 for the first retry; in `handlers_runs`, of which a run is, null for a run
 * that is no retry.
 */
const statements = [
  'ALTER TABLE handlers_runs ADD COLUMN attempt {int}',
  `CREATE TABLE handlers_retries (
    project_id {id} NOT NULL,
    run_id {id} NOT NULL,
    org_id {id} NOT NULL,
    name {id} NOT NULL,
    event_id {id} NOT NULL,
    type {id} NOT NULL,
    attempt {int} NOT NULL,
    due_at {ms} NOT NULL,
    PRIMARY KEY (project_id, run_id)
  ){end}`,
  'CREATE INDEX handlers_retries_due ON handlers_retries (due_at, project_id, run_id)',
  'CREATE INDEX handlers_retries_handler ON handlers_retries (project_id, name, event_id)',
];

export const retries = migration('0016-retries', statements, { additive: true });
