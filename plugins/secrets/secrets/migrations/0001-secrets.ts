import { migration } from '../../../../kernel/contracts/index.ts';

const ascii = (size: number) => `VARCHAR(${size}) CHARACTER SET ascii COLLATE ascii_bin`;

/*
 * `secret_id` orders the list by creation and stays when the value is set again. `value` is sealed; `value_bytes` is
 * the size of what it holds.
 */
export const secretTables = migration('0001-secrets', {
  sqlite: [
    `CREATE TABLE secrets_secrets (
      project_id TEXT NOT NULL,
      name TEXT NOT NULL,
      org_id TEXT NOT NULL,
      secret_id TEXT NOT NULL,
      value BLOB NOT NULL,
      value_bytes INTEGER NOT NULL,
      set_at INTEGER NOT NULL,
      PRIMARY KEY (project_id, name)
    )`,
    'CREATE UNIQUE INDEX secrets_secrets_newest ON secrets_secrets (project_id, secret_id)',
  ],
  mysql: [
    `CREATE TABLE secrets_secrets (
      project_id ${ascii(64)} NOT NULL,
      name ${ascii(128)} NOT NULL,
      org_id ${ascii(64)} NOT NULL,
      secret_id ${ascii(64)} NOT NULL,
      value LONGBLOB NOT NULL,
      value_bytes BIGINT NOT NULL,
      set_at BIGINT NOT NULL,
      PRIMARY KEY (project_id, name),
      UNIQUE INDEX secrets_secrets_newest (project_id, secret_id)
    ) ENGINE=InnoDB ROW_FORMAT=DYNAMIC`,
  ],
});
