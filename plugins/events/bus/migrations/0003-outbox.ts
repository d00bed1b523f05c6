import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * `holder` is the server that numbers the project's events, until `holder_until`; empty: whoever comes first. The outbox
 * has the events of other servers that are not numbered yet, in the order of `made_at`; `asked` is JSON when a caller
 * waits for the outcome, which then lies in `bus_answers`. One with `failed_at` could not be recorded, and is tried later. `skips` names the events of the outbox at which a wait or a
 * cancel was armed: they were made before it.
 */
export const outboxTables = migration('0003-outbox', [
  "ALTER TABLE bus_heads ADD COLUMN holder {id} NOT NULL DEFAULT ''",
  'ALTER TABLE bus_heads ADD COLUMN holder_until {ms} NOT NULL DEFAULT 0',
  'ALTER TABLE bus_waits ADD COLUMN skips {text}',
  'ALTER TABLE bus_cancels ADD COLUMN skips {text}',
  `CREATE TABLE bus_outbox (
    event_id {id} NOT NULL PRIMARY KEY,
    project_id {id} NOT NULL,
    org_id {id} NOT NULL,
    type {id} NOT NULL,
    event_key {name},
    body {blob} NOT NULL,
    source {word} NOT NULL,
    source_name {name} NOT NULL,
    generation {int} NOT NULL,
    trusted {flag} NOT NULL,
    withheld {flag} NOT NULL,
    made_at {ms} NOT NULL,
    asked {text},
    failed_at {ms}
  ){end}`,
  'CREATE INDEX bus_outbox_order ON bus_outbox (project_id, made_at, event_id)',
  `CREATE TABLE bus_answers (
    event_id {id} NOT NULL PRIMARY KEY,
    outcome {text} NOT NULL,
    answered_at {ms} NOT NULL
  ){end}`,
  'CREATE INDEX bus_answers_age ON bus_answers (answered_at)',
]);
