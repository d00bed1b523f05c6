import { migration } from '../../../../kernel/contracts/index.ts';

/** Runs that wait in a group whose earlier runs are to be cancelled. */
export const supersessionTable = migration('0001-supersessions', [
  `CREATE TABLE pipelines_supersessions (
    run_id {id} NOT NULL,
    activity_id {id} NOT NULL,
    org_id {id} NOT NULL,
    project_id {id} NOT NULL,
    group_name {name} NOT NULL,
    asked_at {ms} NOT NULL,
    PRIMARY KEY (run_id, activity_id)
  ){end}`,
  'CREATE INDEX pipelines_supersessions_asked ON pipelines_supersessions (asked_at, run_id)',
]);
