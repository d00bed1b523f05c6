import { migration } from '../../../../kernel/contracts/index.ts';

const COLUMNS = migration('', [
  'ALTER TABLE runs_runs ADD COLUMN priority {int}',
  'ALTER TABLE runs_runs ADD COLUMN concurrency {text}',
  'ALTER TABLE runs_lanes ADD COLUMN priority {flag} NOT NULL DEFAULT 0',
]);

/**
 * The priority of a run, and the concurrency group that its submit asked for; null: none. Its activities have queues of their own, with the same priority. Servers of earlier
 * versions claim from them in the order of age. On SQLite the index answers for runs with large inputs, whose last columns are far from the first.
 */
export const priorities = migration('0045-priorities', {
  sqlite: [
    ...COLUMNS.sqlite,
    'CREATE INDEX runs_runs_priority ON runs_runs (run_id, priority) WHERE priority IS NOT NULL',
  ],
  mysql: COLUMNS.mysql,
});
