import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * `locks_floors`: the highest fence and ticket of the groups that were removed from a project. A new group begins above
 * them. An older server would begin it at 1, so this is not additive.
 */
export const floors = migration('0004-floors', [
  `CREATE TABLE locks_floors (
    project_id {id} NOT NULL PRIMARY KEY,
    fence {int} NOT NULL,
    last_ticket {int} NOT NULL
  ){end}`,
  'CREATE INDEX locks_groups_untrusted ON locks_groups (project_id, untrusted)',
]);
