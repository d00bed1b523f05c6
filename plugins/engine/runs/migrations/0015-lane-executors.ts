import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * Who claims for one executor looks only at its lanes. Empty: made by a server that did not know executors of lanes; all
 * its work is for agents that run scripts.
 */
export const laneExecutors = migration('0015-lane-executors', [
  "ALTER TABLE runs_lanes ADD COLUMN executor {id} NOT NULL DEFAULT ''",
  'CREATE INDEX runs_lanes_executor ON runs_lanes (executor, org_id)',
]);
