import { migration } from '../../../../kernel/contracts/index.ts';

/** Finds overdue runs of other orgs and projects without reading the rows of those that are skipped. */
export const overdueRuns = migration('0039-overdue-runs', [
  'CREATE INDEX runs_deadlines_overdue ON runs_deadlines (deadline, org_id, project_id)',
]);
