import { migration } from '../../../../kernel/contracts/index.ts';

const id = (size = 40) => `VARCHAR(${size}) CHARACTER SET ascii COLLATE ascii_bin`;
const NAME = id(63);

/*
 * access_members: `project_id` is '' for the membership in the org itself.
 * access_tokens: `user_id` is '' for agents; `org_id`, `project_id` and `role` narrow it when they are not null.
 */
export const accessTables = migration('0001-access', {
  sqlite: [
    `CREATE TABLE access_orgs (
      org_id TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL,
      created_at BIGINT NOT NULL
    )`,
    'CREATE UNIQUE INDEX access_orgs_name ON access_orgs (name)',
    `CREATE TABLE access_projects (
      project_id TEXT NOT NULL PRIMARY KEY,
      org_id TEXT NOT NULL,
      name TEXT NOT NULL,
      created_at BIGINT NOT NULL
    )`,
    'CREATE UNIQUE INDEX access_projects_name ON access_projects (org_id, name)',
    `CREATE TABLE access_users (
      user_id TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL,
      created_at BIGINT NOT NULL
    )`,
    'CREATE UNIQUE INDEX access_users_name ON access_users (name)',
    `CREATE TABLE access_members (
      org_id TEXT NOT NULL,
      project_id TEXT NOT NULL,
      user_id TEXT NOT NULL,
      member_id TEXT NOT NULL,
      role TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      PRIMARY KEY (org_id, project_id, user_id)
    )`,
    'CREATE INDEX access_members_user ON access_members (user_id, org_id)',
    'CREATE INDEX access_members_list ON access_members (org_id, project_id, member_id)',
    `CREATE TABLE access_tokens (
      token_id TEXT NOT NULL PRIMARY KEY,
      digest BLOB NOT NULL,
      kind TEXT NOT NULL,
      user_id TEXT NOT NULL,
      org_id TEXT,
      project_id TEXT,
      role TEXT,
      name TEXT NOT NULL,
      created_by TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      expires_at BIGINT,
      last_used_at BIGINT,
      revoked_at BIGINT
    )`,
    'CREATE UNIQUE INDEX access_tokens_digest ON access_tokens (digest)',
    'CREATE INDEX access_tokens_user ON access_tokens (user_id, token_id)',
    'CREATE INDEX access_tokens_org ON access_tokens (org_id, token_id)',
  ],
  mysql: [
    `CREATE TABLE access_orgs (
      org_id ${id()} NOT NULL PRIMARY KEY,
      name ${NAME} NOT NULL,
      created_at BIGINT NOT NULL,
      UNIQUE INDEX access_orgs_name (name)
    )`,
    `CREATE TABLE access_projects (
      project_id ${id()} NOT NULL PRIMARY KEY,
      org_id ${id()} NOT NULL,
      name ${NAME} NOT NULL,
      created_at BIGINT NOT NULL,
      UNIQUE INDEX access_projects_name (org_id, name)
    )`,
    `CREATE TABLE access_users (
      user_id ${id()} NOT NULL PRIMARY KEY,
      name ${NAME} NOT NULL,
      created_at BIGINT NOT NULL,
      UNIQUE INDEX access_users_name (name)
    )`,
    `CREATE TABLE access_members (
      org_id ${id()} NOT NULL,
      project_id ${id()} NOT NULL,
      user_id ${id()} NOT NULL,
      member_id ${id()} NOT NULL,
      role ${id(16)} NOT NULL,
      created_at BIGINT NOT NULL,
      PRIMARY KEY (org_id, project_id, user_id),
      INDEX access_members_user (user_id, org_id),
      INDEX access_members_list (org_id, project_id, member_id)
    )`,
    `CREATE TABLE access_tokens (
      token_id ${id()} NOT NULL PRIMARY KEY,
      digest BINARY(32) NOT NULL,
      kind ${id(16)} NOT NULL,
      user_id ${id()} NOT NULL,
      org_id ${id()},
      project_id ${id()},
      role ${id(16)},
      name ${NAME} NOT NULL,
      created_by ${id()} NOT NULL,
      created_at BIGINT NOT NULL,
      expires_at BIGINT,
      last_used_at BIGINT,
      revoked_at BIGINT,
      UNIQUE INDEX access_tokens_digest (digest),
      INDEX access_tokens_user (user_id, token_id),
      INDEX access_tokens_org (org_id, token_id)
    )`,
  ],
});
