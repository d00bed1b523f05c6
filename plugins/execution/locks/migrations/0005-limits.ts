import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * Groups with several holders, and runs with a priority. `max_holders`: with how many holders a ticket shares its group,
 * itself included; null: with none. From now on `held` numbers the holders of a group, and one of them always has 1.
 * `queue_position` orders the queue instead of the ticket; null: the ticket itself does. A group is `limited` from its first ticket
 * with `max_holders` on and `prioritized` from its first one with `queue_position` on, so that other groups cost no further read. An older server would grant
 * a group without its limits, so this is not additive.
 */
export const limits = migration('0005-limits', [
  'ALTER TABLE locks_tickets ADD COLUMN max_holders {int}',
  'ALTER TABLE locks_tickets ADD COLUMN queue_position {int}',
  'ALTER TABLE locks_groups ADD COLUMN limited {flag}',
  'ALTER TABLE locks_groups ADD COLUMN prioritized {flag}',
  'ALTER TABLE locks_groups ADD COLUMN replaced_holders_below {int}',
  'CREATE INDEX locks_tickets_positions ON locks_tickets (project_id, group_key, state, queue_position)',
]);
