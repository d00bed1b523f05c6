import { migration } from '../../../../kernel/contracts/index.ts';

const column = migration('0027-call-roots', ['ALTER TABLE runs_calls ADD COLUMN root_id {id}']);

/**
 * `root_id`: the run at the top of a chain of calls, which nobody called. A root may have so many called runs that are not
 * over (`open`, `left`). Null: called by an earlier version of svc, and not counted.
 */
export const callRoots = migration('0027-call-roots', {
  sqlite: [
    ...column.sqlite,
    "CREATE INDEX runs_calls_root ON runs_calls (root_id) WHERE state IN ('open', 'left') AND root_id IS NOT NULL",
  ],
  mysql: [...column.mysql, 'CREATE INDEX runs_calls_root ON runs_calls (root_id, state)'],
});
