import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * `deliveries_deliveries`: what came to a hook or a webhook. A delivery that became an event has its id from that event, which
 * holds the body; of one that was refused there is only the reason. `redelivery_of` is the delivery that somebody had
 * recorded again, and `redelivered_by` the name of that person, as it was.
 */
export const deliveryTable = migration('0001-deliveries', [
  `CREATE TABLE deliveries_deliveries (
    project_id {id} NOT NULL,
    source {word} NOT NULL,
    name {id} NOT NULL,
    delivery_id {id} NOT NULL,
    org_id {id} NOT NULL,
    outcome {word} NOT NULL,
    at {ms} NOT NULL,
    event_id {id},
    event_type {id},
    sent_id {name},
    code {id},
    reason {text},
    old_secret {flag},
    redelivery_of {id},
    redelivered_by {name},
    PRIMARY KEY (project_id, source, name, delivery_id)
  ){end}`,
  'CREATE INDEX deliveries_deliveries_outcome ON deliveries_deliveries (project_id, source, name, outcome, delivery_id)',
  'CREATE INDEX deliveries_deliveries_age ON deliveries_deliveries (at)',
]);
