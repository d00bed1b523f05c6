import { migration } from '../../../../kernel/contracts/index.ts';

/** The children of each parent, and what a parent waits for. Each change locks the row of the run. */
export const childTables = migration('0001-children', [
  // A name is unique within its parent. `exit_code` is NULL until the child has ended, `reported_at` until its parent
  // was told.
  `CREATE TABLE children_children (
    parent_id {id} NOT NULL,
    name_key {id} NOT NULL,
    run_id {id} NOT NULL,
    activity_id {id} NOT NULL,
    name {name} NOT NULL,
    position {int} NOT NULL,
    exit_code {int},
    reported_at {ms},
    PRIMARY KEY (parent_id, name_key)
  ){end}`,
  'CREATE UNIQUE INDEX children_children_activity ON children_children (activity_id)',
  'CREATE INDEX children_children_run ON children_children (run_id)',
  // A parked parent waits for one child or, with an empty name_key, for all children that were not reported.
  `CREATE TABLE children_waits (
    parent_id {id} NOT NULL PRIMARY KEY,
    run_id {id} NOT NULL,
    position {int} NOT NULL,
    name_key {id} NOT NULL
  ){end}`,
]);
