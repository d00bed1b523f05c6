import { migration } from '../../../../kernel/contracts/index.ts';

/** What a run's own cells were set to, and where: a rerun from a site begins with what they held there. */
export const cellVersionTables = migration('0007-cell-versions', [
  // `value` is NULL where the cell was deleted.
  `CREATE TABLE runs_cell_versions (
    run_id {id} NOT NULL,
    activity_id {id} NOT NULL,
    position {int} NOT NULL,
    cell {bytes} NOT NULL,
    value {blob},
    PRIMARY KEY (run_id, activity_id, position)
  ){end}`,
]);
