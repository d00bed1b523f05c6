import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * `bus_heads` is the lock of a project's bus and its sequence. Events are only added. `body` is sealed and holds payload
 * and fields; keys, subjects and dedup texts are found by digests. Rows of waits and cancels that an event has fired stay
 * as what became of that event; those that are armed have no `event_seq`.
 */
export const busTables = migration('0001-bus', [
  `CREATE TABLE bus_heads (
    project_id {id} NOT NULL PRIMARY KEY,
    org_id {id} NOT NULL,
    last_seq {int} NOT NULL,
    last_at {ms} NOT NULL
  ){end}`,
  `CREATE TABLE bus_events (
    project_id {id} NOT NULL,
    seq {int} NOT NULL,
    event_id {id} NOT NULL,
    org_id {id} NOT NULL,
    type {id} NOT NULL,
    event_key {name},
    key_digest {id},
    body {blob} NOT NULL,
    source {word} NOT NULL,
    source_name {name} NOT NULL,
    generation {int} NOT NULL,
    trusted {flag} NOT NULL,
    withheld {flag} NOT NULL,
    dedup_digest {id},
    recorded_at {ms} NOT NULL,
    PRIMARY KEY (project_id, seq)
  ){end}`,
  'CREATE UNIQUE INDEX bus_events_id ON bus_events (event_id)',
  'CREATE UNIQUE INDEX bus_events_dedup ON bus_events (project_id, dedup_digest)',
  'CREATE INDEX bus_events_type ON bus_events (project_id, type, seq)',
  'CREATE INDEX bus_events_key ON bus_events (project_id, key_digest, seq)',
  'CREATE INDEX bus_events_source ON bus_events (project_id, source, seq)',
  `CREATE TABLE bus_waits (
    run_id {id} NOT NULL,
    activity_id {id} NOT NULL,
    position {int} NOT NULL,
    org_id {id} NOT NULL,
    project_id {id} NOT NULL,
    type {id} NOT NULL,
    subject {name},
    subject_digest {id},
    predicate {text},
    predicate_digest {id},
    state {word} NOT NULL,
    armed_seq {int} NOT NULL,
    armed_at {ms} NOT NULL,
    event_seq {int},
    event_id {id},
    fired_at {ms},
    PRIMARY KEY (run_id, activity_id, position)
  ){end}`,
  'CREATE INDEX bus_waits_heard ON bus_waits (project_id, event_seq, type)',
  'CREATE INDEX bus_waits_fired ON bus_waits (state, run_id)',
  `CREATE TABLE bus_cancels (
    run_id {id} NOT NULL,
    type {id} NOT NULL,
    org_id {id} NOT NULL,
    project_id {id} NOT NULL,
    subject_digest {id},
    state {word} NOT NULL,
    armed_seq {int} NOT NULL,
    event_seq {int},
    event_id {id},
    fired_at {ms},
    PRIMARY KEY (run_id, type)
  ){end}`,
  'CREATE INDEX bus_cancels_heard ON bus_cancels (project_id, event_seq, type)',
  'CREATE INDEX bus_cancels_fired ON bus_cancels (state, run_id)',
  `CREATE TABLE bus_deliveries (
    event_id {id} NOT NULL,
    reaction {word} NOT NULL,
    name_digest {id} NOT NULL,
    part {part} NOT NULL,
    project_id {id} NOT NULL,
    name {name} NOT NULL,
    state {word} NOT NULL,
    reason {text},
    run_id {id},
    others {int},
    PRIMARY KEY (event_id, reaction, name_digest, part)
  ){end}`,
  `CREATE TABLE bus_types (
    project_id {id} NOT NULL,
    type {id} NOT NULL,
    last_seq {int} NOT NULL,
    last_event {id} NOT NULL,
    last_seen {ms} NOT NULL,
    PRIMARY KEY (project_id, type)
  ){end}`,
]);
