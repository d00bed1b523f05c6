import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * `runs_pruned` names runs that were removed and whose other rows are on their way out: nothing shows them any more. A
 * source goes with the last run that has it.
 */
export const retentionTables = migration('0008-retention', [
  `CREATE TABLE runs_pruned (
    run_id {id} NOT NULL PRIMARY KEY,
    project_id {id} NOT NULL,
    source_digest {id} NOT NULL,
    pruned_at {ms} NOT NULL
  ){end}`,
  'CREATE INDEX runs_runs_source ON runs_runs (project_id, source_digest)',
]);
