import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * How long a run may take, and, for those that may not take for ever, when they end by themselves. A row goes when its
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
