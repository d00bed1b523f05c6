import { migration } from '../../../../kernel/contracts/index.ts';

/*
 * vault_key_checks: `slot` is `active`, or `incoming` while the master key is being changed.
 * `generation` rises with every rotation, so that servers need to look at one row to notice.
 * vault_org_keys: one row per org key and master key that wraps it: two during a change of the master key.
 */
export const vaultTables = migration('0001-vault', {
  sqlite: [
    `CREATE TABLE vault_key_checks (
      slot TEXT NOT NULL PRIMARY KEY,
      master_id TEXT NOT NULL,
      check_value BLOB NOT NULL,
      generation BIGINT NOT NULL,
      created_at BIGINT NOT NULL
    )`,
    `CREATE TABLE vault_org_keys (
      org_id TEXT NOT NULL,
      version BIGINT NOT NULL,
      master_id TEXT NOT NULL,
      wrapped BLOB NOT NULL,
      usable_from BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      PRIMARY KEY (org_id, version, master_id)
    )`,
    'CREATE INDEX vault_org_keys_master ON vault_org_keys (master_id, org_id, version)',
  ],
  mysql: [
    `CREATE TABLE vault_key_checks (
      slot VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
      master_id VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      check_value BLOB NOT NULL,
      generation BIGINT NOT NULL,
      created_at BIGINT NOT NULL
    )`,
    `CREATE TABLE vault_org_keys (
      org_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      version BIGINT NOT NULL,
      master_id VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      wrapped BLOB NOT NULL,
      usable_from BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      PRIMARY KEY (org_id, version, master_id),
      INDEX vault_org_keys_master (master_id, org_id, version)
    )`,
  ],
});
