import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * Deliveries that have failed for good, at most one for each event and handler. `run_id`: the run that failed; null: none
 * started, for the `reason` that is stored.
 */
const statements = [
  `CREATE TABLE handlers_dead_letters (
    project_id {id} NOT NULL,
    letter_id {id} NOT NULL,
    org_id {id} NOT NULL,
    event_id {id} NOT NULL,
    type {id} NOT NULL,
    name {id} NOT NULL,
    run_id {id},
    failed_at {ms} NOT NULL,
    reason {text},
    PRIMARY KEY (project_id, letter_id)
  ){end}`,
  'CREATE INDEX handlers_dead_letters_delivery ON handlers_dead_letters (project_id, event_id, name)',
  'CREATE INDEX handlers_dead_letters_handler ON handlers_dead_letters (project_id, name, letter_id)',
  'CREATE INDEX handlers_dead_letters_type ON handlers_dead_letters (project_id, type, letter_id)',
  'CREATE INDEX handlers_dead_letters_both ON handlers_dead_letters (project_id, name, type, letter_id)',
  'CREATE INDEX handlers_dead_letters_age ON handlers_dead_letters (failed_at)',
];

export const deadLetters = migration('0014-dead-letters', statements, { additive: true });
