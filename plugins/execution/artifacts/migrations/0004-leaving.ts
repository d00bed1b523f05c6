import { migration } from '../../../../kernel/contracts/index.ts';

/*
 * What nothing names any more stays in its store for a while, and counts until it is removed.
 * artifacts_removals: `bytes` are counted for `run_id` and its project, as of an untrusted run or not. What was noted before
 * counts nowhere.
 * artifacts_run_usage, artifacts_project_usage: `leaving` are the bytes of the removals of a run, and of a project.
 */
export const leavingBytes = migration('0004-leaving', [
  'ALTER TABLE artifacts_removals ADD COLUMN run_id {id}',
  'ALTER TABLE artifacts_removals ADD COLUMN project_id {id}',
  'ALTER TABLE artifacts_removals ADD COLUMN untrusted {flag} NOT NULL DEFAULT 0',
  'ALTER TABLE artifacts_removals ADD COLUMN bytes {int} NOT NULL DEFAULT 0',
  'ALTER TABLE artifacts_run_usage ADD COLUMN leaving {int} NOT NULL DEFAULT 0',
  'ALTER TABLE artifacts_project_usage ADD COLUMN leaving {int} NOT NULL DEFAULT 0',
]);
