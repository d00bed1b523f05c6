import { migration } from '../../../../kernel/contracts/index.ts';

/** What events have to do with runs: types that cancel one, and the event that did. And the versioned type of workflow. */
export const eventColumns = migration('0005-events', [
  'ALTER TABLE runs_runs ADD COLUMN cancel_on {text}',
  'ALTER TABLE runs_runs ADD COLUMN cancelled_by {text}',
  'ALTER TABLE runs_runs ADD COLUMN workflow_type {word}',
]);
