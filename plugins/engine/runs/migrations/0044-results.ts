import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * The output of a run that ends when it begins is sealed together with what its coordinator records. The columns stay as they
 * are, and so do the rows of older versions, but servers of older versions cannot read the new rows: they stop.
 */
export const sealedResults = migration('0044-results', []);
