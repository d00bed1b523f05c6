import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * Runs that a job called (`svc call`), and the wait that the call is. `open`: the run is under way; `ended`: the wait is
 * to be told; `left`: nobody waits any more, and the run is to be cancelled; `done`: kept for the steps view.
 */
export const callTables = migration('0014-calls', [
  `CREATE TABLE runs_calls (
    called_id {id} NOT NULL PRIMARY KEY,
    org_id {id} NOT NULL,
    project_id {id} NOT NULL,
    run_id {id} NOT NULL,
    activity_id {id} NOT NULL,
    position {int} NOT NULL,
    state {word} NOT NULL
  ){end}`,
  'CREATE INDEX runs_calls_wait ON runs_calls (run_id, activity_id, position)',
  'CREATE INDEX runs_calls_state ON runs_calls (state, called_id)',
]);
