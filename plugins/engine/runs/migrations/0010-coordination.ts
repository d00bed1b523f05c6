import { migration } from '../../../../kernel/contracts/index.ts';

/** Who says which activities of a run come next; NULL: the run has those that it was made with. */
export const coordinationColumns = migration('0010-coordination', [
  'ALTER TABLE runs_runs ADD COLUMN coordinator {word}',
  // What an activity asked for is looked up when it fails, and a run may have thousands of others open.
  'CREATE INDEX runs_activities_parent ON runs_activities (parent)',
]);
