import { migration } from '../../../../kernel/contracts/index.ts';

/** Activities that other activities asked for; `parent` is NULL for those of the run itself. */
export const childColumns = migration('0006-children', ['ALTER TABLE runs_activities ADD COLUMN parent {id}']);
