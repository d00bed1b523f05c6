import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * Handlers that limit their own runs. `admission`: the digest of the handler and the key whose runs are limited
 * together; null without a limit. `blocked`: 1 while the delivery waits for a place of that limit, else null: it waits for
 * a slot of the project. `max_runs`: the limit. An older server would start blocked deliveries, so this is not additive.
 */
export const concurrency = migration('0011-concurrency', [
  'ALTER TABLE handlers_runs ADD COLUMN admission {id}',
  'ALTER TABLE handlers_queue ADD COLUMN admission {id}',
  'ALTER TABLE handlers_queue ADD COLUMN max_runs {int}',
  'ALTER TABLE handlers_queue ADD COLUMN blocked {flag}',
  'CREATE INDEX handlers_queue_admission ON handlers_queue (project_id, blocked, admission, event_seq)',
]);
