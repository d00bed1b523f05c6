import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * Each index of all runs costs a run a page in SQLite's log. Only pruning looked for the runs of a source, which it finds
 * by their age. The newest runs of a project are the newest of each status.
 */
export const fewerIndexes = migration('0022-fewer-indexes', {
  sqlite: ['DROP INDEX runs_runs_source', 'DROP INDEX runs_runs_newest'],
  mysql: [],
});
