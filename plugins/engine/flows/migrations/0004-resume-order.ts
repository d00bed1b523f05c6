import { migration } from '../../../../kernel/contracts/index.ts';

/** Finds pending flows of other orgs and projects without reading the rows of those that are skipped. */
export const resumeOrder = migration('0004-resume-order', [
  'CREATE INDEX flows_flows_pending ON flows_flows (resume_at, org_id, project_id)',
]);
