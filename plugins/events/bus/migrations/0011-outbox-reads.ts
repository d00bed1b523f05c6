import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * What is read of the outbox, so that none of it depends on how many events wait there: the oldest of a project and
 * those set aside, the events of a run, and those of a type. On SQLite, `failed_at` stands behind the body of an event.
 */
const INDEXES = [
  'CREATE INDEX bus_outbox_pending ON bus_outbox (failed_at, project_id, made_at, event_id)',
  'CREATE INDEX bus_outbox_emitter ON bus_outbox (project_id, source_name, type)',
  'CREATE INDEX bus_outbox_type ON bus_outbox (project_id, type, event_id)',
];

export const outboxReads = migration('0011-outbox-reads', INDEXES, { additive: true });
