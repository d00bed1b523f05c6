import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * Groups that grant a limited number of leases in a period. A ticket has its own throttle; null: none. A group is
 * `throttled` from its first such ticket on, so that other groups cost no further read, and `next_at` is when its first
 * waiter may start, if only the throttle holds it back. `locks_starts` are the recent grants of such tickets. They are no
 * part of the tickets, which go with their runs. An older server would grant a group without its throttle, so this is not
 * additive.
 */
export const throttles = migration('0006-throttles', [
  'ALTER TABLE locks_tickets ADD COLUMN throttle_limit {int}',
  'ALTER TABLE locks_tickets ADD COLUMN throttle_ms {ms}',
  'ALTER TABLE locks_groups ADD COLUMN throttled {flag}',
  'ALTER TABLE locks_groups ADD COLUMN next_at {ms}',
  'CREATE INDEX locks_groups_next ON locks_groups (next_at)',
  'CREATE INDEX locks_groups_throttled ON locks_groups (project_id, next_at)',
  `CREATE TABLE locks_starts (
    project_id {id} NOT NULL,
    group_key {id} NOT NULL,
    fence {int} NOT NULL,
    started_at {ms} NOT NULL,
    expires_at {ms} NOT NULL,
    PRIMARY KEY (project_id, group_key, fence)
  ){end}`,
  'CREATE INDEX locks_starts_expiry ON locks_starts (expires_at)',
]);
