import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * `handlers_counts`: what handlers did in each of the last hours. An hour takes the row of the one a day before it, so
 * that a handler has as many rows as a day has hours, and nobody has to remove any.
 */
export const counts = migration('0006-counts', [
  `CREATE TABLE handlers_counts (
    project_id {id} NOT NULL,
    name {id} NOT NULL,
    slot {int} NOT NULL,
    org_id {id} NOT NULL,
    hour {int} NOT NULL,
    started {int} NOT NULL,
    failed {int} NOT NULL,
    predicate_errors {int} NOT NULL,
    PRIMARY KEY (project_id, name, slot)
  ){end}`,
]);
