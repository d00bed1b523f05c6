import { migration } from '../../../../kernel/contracts/index.ts';

/* Whose turn it is: a server that prunes puts `next_at` ahead of it, and again as long as it is at work. */
export const retentionTables = migration('0001-retention', {
  sqlite: ['CREATE TABLE retention_turns (name TEXT NOT NULL PRIMARY KEY, next_at INTEGER NOT NULL)'],
  mysql: [
    `CREATE TABLE retention_turns (
      name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
      next_at BIGINT NOT NULL
    ) ENGINE=InnoDB ROW_FORMAT=DYNAMIC`,
  ],
});
