import { migration } from '../../../../kernel/contracts/index.ts';

/*
 * masking_sets: the values of one or more runs of a project, sealed as a JSON array of strings. Immutable.
 * masking_runs: which sets a run was given; rows are only ever added.
 */
export const maskingTables = migration('0001-masking', {
  sqlite: [
    `CREATE TABLE masking_sets (
      set_id TEXT NOT NULL PRIMARY KEY,
      org_id TEXT NOT NULL,
      project_id TEXT NOT NULL,
      sealed BLOB NOT NULL,
      created_at BIGINT NOT NULL
    )`,
    `CREATE TABLE masking_runs (
      run_id TEXT NOT NULL,
      set_id TEXT NOT NULL,
      PRIMARY KEY (run_id, set_id)
    )`,
    'CREATE INDEX masking_runs_set ON masking_runs (set_id)',
  ],
  mysql: [
    `CREATE TABLE masking_sets (
      set_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
      org_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      project_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      sealed LONGBLOB NOT NULL,
      created_at BIGINT NOT NULL
    )`,
    `CREATE TABLE masking_runs (
      run_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      set_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      PRIMARY KEY (run_id, set_id),
      INDEX masking_runs_set (set_id)
    )`,
  ],
});
