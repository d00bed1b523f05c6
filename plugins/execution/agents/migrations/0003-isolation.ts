import { migration } from '../../../../kernel/contracts/index.ts';

/** The one project that some agents serve; what agents do with untrusted work, and why some cannot isolate it. */
export const isolation = migration('0003-isolation', {
  sqlite: [
    'ALTER TABLE agents_agents ADD COLUMN project_id TEXT NULL',
    "ALTER TABLE agents_agents ADD COLUMN untrusted TEXT NOT NULL DEFAULT 'refuse'",
    'ALTER TABLE agents_agents ADD COLUMN isolation_missing TEXT NULL',
  ],
  mysql: [
    `ALTER TABLE agents_agents
      ADD COLUMN project_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
      ADD COLUMN untrusted VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'refuse',
      ADD COLUMN isolation_missing VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL`,
  ],
});
