import { migration } from '../../../../kernel/contracts/index.ts';

const statements = [
  'ALTER TABLE handlers_queue ADD COLUMN gate {id}',
  'CREATE INDEX handlers_queue_gate ON handlers_queue (project_id, gate, event_seq)',
  `CREATE TABLE handlers_gates (
    project_id {id} NOT NULL,
    gate {id} NOT NULL,
    org_id {id} NOT NULL,
    name {id} NOT NULL,
    kind {id} NOT NULL,
    opened_at {ms} NOT NULL,
    due_at {ms} NOT NULL,
    PRIMARY KEY (project_id, gate)
  ){end}`,
  'CREATE INDEX handlers_gates_due ON handlers_gates (due_at, project_id, gate)',
  'CREATE INDEX handlers_gates_handler ON handlers_gates (project_id, name)',
  `CREATE TABLE handlers_passes (
    project_id {id} NOT NULL,
    gate {id} NOT NULL,
    event_seq {int} NOT NULL,
    org_id {id} NOT NULL,
    passed_at {ms} NOT NULL,
    expires_at {ms} NOT NULL,
    PRIMARY KEY (project_id, gate, event_seq)
  ){end}`,
  'CREATE INDEX handlers_passes_time ON handlers_passes (project_id, gate, passed_at)',
  'CREATE INDEX handlers_passes_expired ON handlers_passes (expires_at)',
  'ALTER TABLE handlers_counts ADD COLUMN dropped {int}',
];

/**
 * Handlers that begin work at certain times. `gate`: the digest of the handler, an option and a key. While a delivery waits
 * at a gate, `blocked` is 2 (throttle), which older servers do not start.
 * `handlers_gates`: gates with deliveries, and when they may pass. `handlers_passes`: what passed in the last period.
 */
export const pacing = migration('0012-pacing', statements, { additive: true });
