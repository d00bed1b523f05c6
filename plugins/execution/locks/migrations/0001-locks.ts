import { migration } from '../../../../kernel/contracts/index.ts';

/** Groups and the tickets that were drawn for them. */
export const lockTables = migration('0001-locks', [
  // Every change of a group's tickets locks its row first. A group stays, so that its fence never falls.
  `CREATE TABLE locks_groups (
    project_id {id} NOT NULL,
    group_key {id} NOT NULL,
    org_id {id} NOT NULL,
    name {name} NOT NULL,
    fence {int} NOT NULL,
    last_ticket {int} NOT NULL,
    PRIMARY KEY (project_id, group_key)
  ){end}`,
  // waiting → held → released, waiting → cancelled; `shared` is the lease that another ticket of the same run holds.
  // `joined` marks for good that it came to a lease that way and not by its turn.
  // `to_tell` is set from the grant of a waiting ticket until its owner has heard of it.
  `CREATE TABLE locks_tickets (
    project_id {id} NOT NULL,
    group_key {id} NOT NULL,
    ticket {int} NOT NULL,
    org_id {id} NOT NULL,
    run_id {id} NOT NULL,
    owner_kind {word} NOT NULL,
    owner_id {id} NOT NULL,
    state {word} NOT NULL,
    held {flag},
    joined {flag},
    fence {int},
    asked_at {ms} NOT NULL,
    granted_at {ms},
    ended_at {ms},
    to_tell {ms},
    PRIMARY KEY (project_id, group_key, ticket)
  ){end}`,
  // I11: `held` is 1 for the holder and NULL for all others, which are all distinct.
  'CREATE UNIQUE INDEX locks_tickets_holder ON locks_tickets (project_id, group_key, held)',
  'CREATE UNIQUE INDEX locks_tickets_fence ON locks_tickets (project_id, group_key, fence)',
  'CREATE UNIQUE INDEX locks_tickets_owner ON locks_tickets (run_id, owner_kind, owner_id)',
  'CREATE INDEX locks_tickets_queue ON locks_tickets (project_id, group_key, state, ticket)',
  'CREATE INDEX locks_tickets_holders ON locks_tickets (project_id, held, granted_at, group_key)',
  'CREATE INDEX locks_tickets_telling ON locks_tickets (to_tell)',
]);
