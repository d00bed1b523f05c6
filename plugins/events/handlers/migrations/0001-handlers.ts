import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * Everything here is read and written under the lock of the project's bus, but for what is only shown.
 *
 * `handlers_handlers`: `patterns` and `about` are JSON; `definition` is sealed JSON under the name and the revision.
 * `handlers_versions`: raised by every change, so that servers know when what they remember is old.
 * `handlers_runs`: handler runs that have not ended; at most sixteen a project.
 * `handlers_queue`: deliveries that wait for a place, in the order of their events.
 */
export const handlerTables = migration('0001-handlers', [
  `CREATE TABLE handlers_handlers (
    project_id {id} NOT NULL,
    name {id} NOT NULL,
    org_id {id} NOT NULL,
    org {name} NOT NULL,
    project {name} NOT NULL,
    handler_id {id} NOT NULL,
    revision {id} NOT NULL,
    patterns {text} NOT NULL,
    predicate {text},
    about {text} NOT NULL,
    definition {blob} NOT NULL,
    set_by {id},
    created_at {ms} NOT NULL,
    set_at {ms} NOT NULL,
    PRIMARY KEY (project_id, name)
  ){end}`,
  'CREATE UNIQUE INDEX handlers_handlers_newest ON handlers_handlers (project_id, handler_id)',
  `CREATE TABLE handlers_credentials (
    project_id {id} NOT NULL,
    credential {id} NOT NULL,
    name {id} NOT NULL,
    org_id {id} NOT NULL,
    variables {text} NOT NULL,
    PRIMARY KEY (project_id, credential, name)
  ){end}`,
  'CREATE INDEX handlers_credentials_handler ON handlers_credentials (project_id, name)',
  `CREATE TABLE handlers_versions (
    project_id {id} NOT NULL PRIMARY KEY,
    org_id {id} NOT NULL,
    version {int} NOT NULL
  ){end}`,
  `CREATE TABLE handlers_runs (
    run_id {id} NOT NULL PRIMARY KEY,
    project_id {id} NOT NULL,
    org_id {id} NOT NULL,
    name {id} NOT NULL,
    event_id {id} NOT NULL,
    started_at {ms} NOT NULL
  ){end}`,
  'CREATE INDEX handlers_runs_open ON handlers_runs (project_id)',
  `CREATE TABLE handlers_queue (
    project_id {id} NOT NULL,
    event_seq {int} NOT NULL,
    name {id} NOT NULL,
    org_id {id} NOT NULL,
    event_id {id} NOT NULL,
    type {id} NOT NULL,
    subject {name},
    fields {text} NOT NULL,
    generation {int} NOT NULL,
    trusted {flag} NOT NULL,
    queued_at {ms} NOT NULL,
    PRIMARY KEY (project_id, event_seq, name)
  ){end}`,
  'CREATE INDEX handlers_queue_handler ON handlers_queue (project_id, name)',
]);
