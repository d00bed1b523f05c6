import { migration } from '../../../../kernel/contracts/index.ts';

/*
 * What the calls of untrusted runs have stored in a project, until the runs are removed.
 * runs_untrusted: `granted` is how many bytes the run may have before it takes more of its project; the first 64 KiB are free.
 * runs_call_grants: what was taken for a run. It stays when the run is over, as its records do.
 * runs_call_usage: what was taken for all untrusted runs of a project. What older runs have stored counts for nothing.
 */
export const callBytes = migration('0034-call-bytes', [
  'ALTER TABLE runs_untrusted ADD COLUMN granted {int} NOT NULL DEFAULT 65536',
  `CREATE TABLE runs_call_grants (
    run_id {id} NOT NULL PRIMARY KEY,
    project_id {id} NOT NULL,
    bytes {int} NOT NULL
  ){end}`,
  `CREATE TABLE runs_call_usage (
    project_id {id} NOT NULL PRIMARY KEY,
    bytes {int} NOT NULL
  ){end}`,
]);
