import { migration } from '../../../../kernel/contracts/index.ts';

/*
 * What runs and projects have used of their bounds.
 * runs_untrusted: the untrusted runs that are not over, the bytes that their calls were given and have printed, and how many
 * children they have.
 * runs_log_heads: `bytes` is what the log counts for, `granted` what was taken for it from its project, `ended` that it has
 * reached a bound. Rows that are older name no project and have taken nothing.
 * runs_log_usage: what was taken for all logs of a project, those of untrusted runs by themselves.
 */
export const boundTables = migration('0030-bounds', [
  'ALTER TABLE runs_runs ADD COLUMN spawned {int} NOT NULL DEFAULT 0',
  `CREATE TABLE runs_untrusted (
    run_id {id} NOT NULL PRIMARY KEY,
    project_id {id} NOT NULL,
    bytes {int} NOT NULL DEFAULT 0,
    children {int} NOT NULL DEFAULT 0
  ){end}`,
  'CREATE INDEX runs_untrusted_project ON runs_untrusted (project_id)',
  `INSERT INTO runs_untrusted (run_id, project_id) SELECT run_id, project_id FROM runs_runs
    WHERE trusted = 0 AND status IN ('queued', 'running', 'waiting')`,
  'ALTER TABLE runs_log_heads ADD COLUMN project_id {id}',
  'ALTER TABLE runs_log_heads ADD COLUMN untrusted {flag} NOT NULL DEFAULT 0',
  'ALTER TABLE runs_log_heads ADD COLUMN bytes {int} NOT NULL DEFAULT 0',
  'ALTER TABLE runs_log_heads ADD COLUMN granted {int} NOT NULL DEFAULT 0',
  'ALTER TABLE runs_log_heads ADD COLUMN ended {flag} NOT NULL DEFAULT 0',
  `CREATE TABLE runs_log_usage (
    project_id {id} NOT NULL,
    untrusted {flag} NOT NULL,
    bytes {int} NOT NULL,
    PRIMARY KEY (project_id, untrusted)
  ){end}`,
]);
