import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * The bodies of events that a run announces together are sealed once. The columns stay as they are, and so do the rows of older
 * versions, but servers of older versions cannot read the new rows: they stop.
 */
export const sharedSeals = migration('0012-shared-seals', []);
