import { migration } from '../../../../kernel/contracts/index.ts';

const statements = [
  'ALTER TABLE handlers_queue ADD COLUMN batch {int}',
  'ALTER TABLE handlers_queue ADD COLUMN bytes {int}',
  'ALTER TABLE handlers_queue ADD COLUMN sort_at {ms}',
  'ALTER TABLE handlers_queue ADD COLUMN fair_group {id}',
  'CREATE INDEX handlers_queue_batch ON handlers_queue (project_id, batch, name)',
  'CREATE INDEX handlers_queue_sort ON handlers_queue (project_id, blocked, sort_at, event_seq, name)',
  'CREATE INDEX handlers_queue_fair ON handlers_queue (project_id, fair_group, sort_at)',
];

/**
 * Handlers that merge events, and the order in which deliveries get slots. `blocked`: 3 while a delivery may be merged with
 * later ones, 4 for the later deliveries of a batch, which start with the first one. `batch`: the sequence number of the
 * first event of a batch. `bytes`: the size of the event's payload, for batches. `sort_at`: deliveries get slots in this
 * order; `fair_group`: the digest of the handler, the key and the priority that take turns with others.
 */
export const merging = migration('0013-merging', statements, { additive: true });
