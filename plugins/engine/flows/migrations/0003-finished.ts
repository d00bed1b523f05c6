import { migration } from '../../../../kernel/contracts/index.ts';

const ID = 'VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL';

const TABLE = {
  sqlite: [
    `CREATE TABLE flows_finished (
      run_id TEXT NOT NULL PRIMARY KEY,
      org_id TEXT NOT NULL,
      project_id TEXT NOT NULL,
      body BLOB NOT NULL
    ) WITHOUT ROWID`,
  ],
  mysql: [
    `CREATE TABLE flows_finished (
      run_id ${ID} PRIMARY KEY,
      org_id ${ID},
      project_id ${ID},
      body LONGBLOB NOT NULL
    ) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
  ],
};

/** Flows that end in the transaction that creates their run: their plan and their nodes are one sealed value. */
export const finishedFlows = migration('0003-finished', TABLE, { additive: true });
