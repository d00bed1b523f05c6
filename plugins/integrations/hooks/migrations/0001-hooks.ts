import { migration } from '../../../../kernel/contracts/index.ts';

const ascii = (size: number) => `VARCHAR(${size}) CHARACTER SET ascii COLLATE ascii_bin`;

/*
 * `hook_id` is in the address and orders the list; it stays when the hook is set again. `token_digest` is the SHA-256
 * of a shared token, in hex; `signing_key` is sealed; one of the two is there. `hmac` is JSON. `owner` is empty for
 * what a person made. `secret_at` is when the present token or key began to count.
 */
export const hookTables = migration('0001-hooks', {
  sqlite: [
    `CREATE TABLE hooks_hooks (
      project_id TEXT NOT NULL,
      name TEXT NOT NULL,
      org_id TEXT NOT NULL,
      hook_id TEXT NOT NULL,
      mode TEXT NOT NULL,
      event_type TEXT,
      manifest TEXT,
      hmac TEXT,
      token_digest TEXT,
      signing_key BLOB,
      owner TEXT NOT NULL,
      set_at INTEGER NOT NULL,
      secret_at INTEGER NOT NULL,
      PRIMARY KEY (project_id, name)
    )`,
    'CREATE UNIQUE INDEX hooks_hooks_address ON hooks_hooks (hook_id)',
    'CREATE UNIQUE INDEX hooks_hooks_newest ON hooks_hooks (project_id, hook_id)',
  ],
  mysql: [
    `CREATE TABLE hooks_hooks (
      project_id ${ascii(64)} NOT NULL,
      name ${ascii(64)} NOT NULL,
      org_id ${ascii(64)} NOT NULL,
      hook_id ${ascii(64)} NOT NULL,
      mode ${ascii(16)} NOT NULL,
      event_type ${ascii(64)},
      manifest ${ascii(64)},
      hmac LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
      token_digest ${ascii(64)},
      signing_key LONGBLOB,
      owner ${ascii(128)} NOT NULL,
      set_at BIGINT NOT NULL,
      secret_at BIGINT NOT NULL,
      PRIMARY KEY (project_id, name),
      UNIQUE INDEX hooks_hooks_address (hook_id),
      UNIQUE INDEX hooks_hooks_newest (project_id, hook_id)
    ) ENGINE=InnoDB ROW_FORMAT=DYNAMIC`,
  ],
});
