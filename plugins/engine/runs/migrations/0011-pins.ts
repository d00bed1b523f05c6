import { migration } from '../../../../kernel/contracts/index.ts';

/** JSON: the stored document that a run was made of, by name and version; NULL: its document was given as it is. */
export const pinColumns = migration('0011-pins', ['ALTER TABLE runs_runs ADD COLUMN pin {text}']);
