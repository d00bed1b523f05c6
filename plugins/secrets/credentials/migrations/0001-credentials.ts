import { migration } from '../../../../kernel/contracts/index.ts';

const ascii = (size: number) => `VARCHAR(${size}) CHARACTER SET ascii COLLATE ascii_bin`;
const END = 'ENGINE=InnoDB ROW_FORMAT=DYNAMIC';

/*
 * credentials_names: who holds a name of a project, `credential` or `account`; its key keeps the two apart.
 * credentials_credentials: `fields` is sealed JSON; `credential_id` orders the list and stays on replacement.
 */
export const credentialTables = migration('0001-credentials', {
  sqlite: [
    `CREATE TABLE credentials_names (
      project_id TEXT NOT NULL,
      name TEXT NOT NULL,
      org_id TEXT NOT NULL,
      holder TEXT NOT NULL,
      PRIMARY KEY (project_id, name)
    )`,
    `CREATE TABLE credentials_credentials (
      project_id TEXT NOT NULL,
      name TEXT NOT NULL,
      org_id TEXT NOT NULL,
      credential_id TEXT NOT NULL,
      kind TEXT NOT NULL,
      fields BLOB NOT NULL,
      set_at INTEGER NOT NULL,
      PRIMARY KEY (project_id, name)
    )`,
    'CREATE UNIQUE INDEX credentials_credentials_newest ON credentials_credentials (project_id, credential_id)',
  ],
  mysql: [
    `CREATE TABLE credentials_names (
      project_id ${ascii(64)} NOT NULL,
      name ${ascii(63)} NOT NULL,
      org_id ${ascii(64)} NOT NULL,
      holder ${ascii(16)} NOT NULL,
      PRIMARY KEY (project_id, name)
    ) ${END}`,
    `CREATE TABLE credentials_credentials (
      project_id ${ascii(64)} NOT NULL,
      name ${ascii(63)} NOT NULL,
      org_id ${ascii(64)} NOT NULL,
      credential_id ${ascii(64)} NOT NULL,
      kind ${ascii(16)} NOT NULL,
      fields LONGBLOB NOT NULL,
      set_at BIGINT NOT NULL,
      PRIMARY KEY (project_id, name),
      UNIQUE INDEX credentials_credentials_newest (project_id, credential_id)
    ) ${END}`,
  ],
});
