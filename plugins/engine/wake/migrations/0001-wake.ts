import { migration } from '../../../../kernel/contracts/index.ts';

const ascii = (size: number) => `VARCHAR(${size}) CHARACTER SET ascii COLLATE ascii_bin`;

/* One row: the random name under which the servers of this database find each other. */
export const wakeTables = migration('0001-wake', {
  sqlite: [
    `CREATE TABLE wake_deployments (
      place TEXT NOT NULL PRIMARY KEY,
      deployment TEXT NOT NULL,
      made_at INTEGER NOT NULL
    )`,
  ],
  mysql: [
    `CREATE TABLE wake_deployments (
      place ${ascii(16)} NOT NULL PRIMARY KEY,
      deployment ${ascii(64)} NOT NULL,
      made_at BIGINT NOT NULL
    ) ENGINE=InnoDB ROW_FORMAT=DYNAMIC`,
  ],
});
