import { migration } from '../../../../kernel/contracts/index.ts';

/** JSON: the repository that the program of a run asked to begin with; null: none. */
export const checkoutColumn = migration('0035-checkouts', ['ALTER TABLE runs_runs ADD COLUMN checkout {text}']);
