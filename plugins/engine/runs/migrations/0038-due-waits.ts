import { migration } from '../../../../kernel/contracts/index.ts';

/** Finds due waits of other orgs, projects and runs without reading the rows of those that are skipped. */
export const dueWaits = migration('0038-due-waits', [
  'CREATE INDEX runs_waits_due ON runs_waits (state, deadline, org_id, project_id, run_id)',
]);
