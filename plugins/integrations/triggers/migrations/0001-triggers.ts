import { migration } from '../../../../kernel/contracts/index.ts';

/*
 * triggers_triggers: `epoch` is another at every poll and every change, so that a poll which was overtaken stores nothing.
 * `next_poll` is NULL while paused; until `lease_until`, one server polls. `config` and `position` (the cursor) are sealed.
 *
 * triggers_seen: the items that are no longer new, by the digests of their IDs.
 */
export const triggerTables = migration('0001-triggers', [
  `CREATE TABLE triggers_triggers (
    project_id {id} NOT NULL,
    name {id} NOT NULL,
    org_id {id} NOT NULL,
    trigger_id {id} NOT NULL,
    connector {id} NOT NULL,
    source {id} NOT NULL,
    credential {id},
    every_ms {ms} NOT NULL,
    from_beginning {flag} NOT NULL,
    started {flag} NOT NULL,
    epoch {int} NOT NULL,
    next_poll {ms},
    lease_until {ms} NOT NULL,
    paused_at {ms},
    paused_by {name},
    created_at {ms} NOT NULL,
    set_at {ms} NOT NULL,
    set_by {id},
    polled_at {ms},
    items {int},
    events {int},
    failures {int} NOT NULL,
    error_code {id},
    error {text},
    warning {text},
    lock_version {int} NOT NULL DEFAULT 0,
    config {blob} NOT NULL,
    position {blob},
    PRIMARY KEY (project_id, name)
  ){end}`,
  'CREATE UNIQUE INDEX triggers_triggers_newest ON triggers_triggers (project_id, trigger_id)',
  'CREATE INDEX triggers_triggers_due ON triggers_triggers (next_poll, project_id, name)',
  `CREATE TABLE triggers_seen (
    project_id {id} NOT NULL,
    trigger_id {id} NOT NULL,
    digest {id} NOT NULL,
    seen_at {ms} NOT NULL,
    PRIMARY KEY (project_id, trigger_id, digest)
  ){end}`,
  'CREATE INDEX triggers_seen_oldest ON triggers_seen (project_id, trigger_id, seen_at)',
]);
