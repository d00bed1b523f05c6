import { migration } from 'svc/plugin';

/** Runs once on each database. What it did is changed by a migration with the next number, never here. */
export const countsTable = migration('0001-counts', [
  `CREATE TABLE starter_counts (
    project_id {id} NOT NULL, name {id} NOT NULL, counted {int} NOT NULL,
    PRIMARY KEY (project_id, name)
  ){end}`,
]);
