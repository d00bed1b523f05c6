import { migration } from '../../../../kernel/contracts/index.ts';

const id = (size = 40) => `VARCHAR(${size}) CHARACTER SET ascii COLLATE ascii_bin`;
const TEXT = 'VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin';

/*
 * `org_id` and `project_id` are '' where there is none; the principal's columns are '' for the operator. The time comes
 * before the id in the index, so that `since` bounds what a filter has to look at.
 */
export const auditTables = migration('0001-audit', {
  sqlite: [
    `CREATE TABLE audit_entries (
      entry_id TEXT NOT NULL PRIMARY KEY,
      org_id TEXT NOT NULL,
      project_id TEXT NOT NULL,
      at BIGINT NOT NULL,
      action TEXT NOT NULL,
      subject TEXT NOT NULL,
      detail TEXT NOT NULL,
      principal_kind TEXT NOT NULL,
      principal_id TEXT NOT NULL,
      principal_name TEXT NOT NULL,
      token_id TEXT NOT NULL,
      request_id TEXT NOT NULL,
      ip TEXT NOT NULL
    )`,
    'CREATE INDEX audit_entries_list ON audit_entries (org_id, project_id, at, entry_id)',
  ],
  mysql: [
    `CREATE TABLE audit_entries (
      entry_id ${id()} NOT NULL PRIMARY KEY,
      org_id ${id()} NOT NULL,
      project_id ${id()} NOT NULL,
      at BIGINT NOT NULL,
      action ${id(64)} NOT NULL,
      subject ${TEXT} NOT NULL,
      detail ${TEXT} NOT NULL,
      principal_kind ${id(16)} NOT NULL,
      principal_id ${id()} NOT NULL,
      principal_name ${TEXT} NOT NULL,
      token_id ${id()} NOT NULL,
      request_id ${id(128)} NOT NULL,
      ip ${id(64)} NOT NULL,
      INDEX audit_entries_list (org_id, project_id, at, entry_id)
    )`,
  ],
});
