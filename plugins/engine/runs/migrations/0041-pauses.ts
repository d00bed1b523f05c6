import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * When a run was paused, and JSON: by whom and why. `runs_pausing` lists paused and resumed runs until the runs that they called
 * are paused or resumed too.
 */
export const pauseColumns = migration('0041-pauses', [
  'ALTER TABLE runs_runs ADD COLUMN paused_at {ms}',
  'ALTER TABLE runs_runs ADD COLUMN pause {text}',
  `CREATE TABLE runs_pausing (
    run_id {id} NOT NULL PRIMARY KEY,
    org_id {id} NOT NULL,
    project_id {id} NOT NULL,
    action {word} NOT NULL,
    after_id {id} NOT NULL
  ){end}`,
]);
