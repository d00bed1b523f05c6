import { migration } from '../../../../kernel/contracts/index.ts';

const columns = migration('0008-waiting', [
  'ALTER TABLE handlers_runs ADD COLUMN waiting {flag}',
  `UPDATE handlers_runs SET waiting = 1 WHERE run_id IN (SELECT run_id FROM runs_runs WHERE status = 'waiting')
   AND run_id NOT IN (SELECT run_id FROM runs_activities WHERE state IN ('pending', 'claimed'))`,
]);

/**
 * `waiting`: 1 while nothing of the run is queued or running, else null: it is in flight then. There may be very many that
 * wait, so that those in flight are found by an index.
 */
export const waiting = migration('0008-waiting', {
  sqlite: [
    ...columns.sqlite,
    'CREATE INDEX handlers_runs_flight ON handlers_runs (project_id, untrusted) WHERE waiting IS NULL',
    'CREATE INDEX handlers_runs_event ON handlers_runs (project_id, event_id)',
  ],
  mysql: [
    ...columns.mysql,
    'CREATE INDEX handlers_runs_flight ON handlers_runs (project_id, waiting, untrusted)',
    'CREATE INDEX handlers_runs_event ON handlers_runs (project_id, event_id)',
  ],
});
