import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * The timeouts of runs, and when runs with a timeout end by themselves. A row goes when its
 * time has come.
 */
export const runTimeouts = migration('0021-run-timeouts', [
  'ALTER TABLE runs_runs ADD COLUMN timeout_ms {ms}',
  `CREATE TABLE runs_deadlines (
    run_id {id} NOT NULL PRIMARY KEY,
    org_id {id} NOT NULL,
    project_id {id} NOT NULL,
    deadline {ms} NOT NULL
  ){end}`,
  'CREATE INDEX runs_deadlines_deadline ON runs_deadlines (deadline)',
]);
