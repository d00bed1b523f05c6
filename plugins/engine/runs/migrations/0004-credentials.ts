import { migration } from '../../../../kernel/contracts/index.ts';

/** The credentials that a run names, as JSON: variable → name. NULL when it names none. */
export const credentialColumns = migration('0004-credentials', ['ALTER TABLE runs_runs ADD COLUMN credentials {text}']);
