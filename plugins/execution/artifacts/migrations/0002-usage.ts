import { migration } from '../../../../kernel/contracts/index.ts';

/*
 * What runs and projects have of their bounds.
 * artifacts_run_usage: `bytes` are those of the artifacts of a run, `staged` those of uploads that are none yet.
 * artifacts_project_usage: the artifacts of all runs of a project, those of untrusted runs by themselves. Several rows share
 * the count, so that runs that end at the same time do not wait for each other.
 * What was stored before counts as of trusted runs.
 */
export const usageTables = migration('0002-usage', [
  `CREATE TABLE artifacts_run_usage (
    run_id {id} NOT NULL PRIMARY KEY,
    project_id {id} NOT NULL,
    untrusted {flag} NOT NULL,
    bytes {int} NOT NULL,
    staged {int} NOT NULL
  ){end}`,
  `CREATE TABLE artifacts_project_usage (
    project_id {id} NOT NULL,
    untrusted {flag} NOT NULL,
    shard {int} NOT NULL,
    bytes {int} NOT NULL,
    PRIMARY KEY (project_id, untrusted, shard)
  ){end}`,
  `INSERT INTO artifacts_run_usage (run_id, project_id, untrusted, bytes, staged)
    SELECT run_id, project_id, 0, SUM(bytes), SUM(staged) FROM (
      SELECT run_id, project_id, size AS bytes, 0 AS staged FROM artifacts_files
      UNION ALL SELECT run_id, project_id, 0, stored FROM artifacts_uploads
    ) present GROUP BY run_id, project_id`,
  `INSERT INTO artifacts_project_usage (project_id, untrusted, shard, bytes)
    SELECT project_id, 0, 0, SUM(bytes) FROM artifacts_run_usage GROUP BY project_id`,
]);
