import { migration } from '../../../../kernel/contracts/index.ts';

/** How often an activity was lost with its agent since its journal last grew, and how long the journal was then. */
export const lossColumns = migration('0009-losses', [
  'ALTER TABLE runs_activities ADD COLUMN losses {int}',
  'ALTER TABLE runs_activities ADD COLUMN lost_at_length {int}',
]);
