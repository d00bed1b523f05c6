import { migration } from '../../../../kernel/contracts/index.ts';

/** Agents that connected; a row lives on for a day after its agent went away. */
export const agentsTable = migration('0001-agents', {
  sqlite: [
    `CREATE TABLE agents_agents (
      agent_id TEXT NOT NULL PRIMARY KEY,
      org_id TEXT NULL,
      token_id TEXT NOT NULL,
      name TEXT NOT NULL,
      instance TEXT NOT NULL,
      os TEXT NOT NULL,
      arch TEXT NOT NULL,
      capabilities TEXT NOT NULL,
      slots INTEGER NOT NULL,
      version TEXT NOT NULL,
      pid INTEGER NOT NULL,
      server TEXT NOT NULL,
      session_id TEXT NOT NULL,
      state TEXT NOT NULL,
      first_seen_at BIGINT NOT NULL,
      connected_at BIGINT NOT NULL,
      last_seen_at BIGINT NOT NULL
    )`,
    'CREATE UNIQUE INDEX agents_agents_instance ON agents_agents (token_id, instance)',
    'CREATE INDEX agents_agents_org ON agents_agents (org_id, agent_id)',
    'CREATE INDEX agents_agents_seen ON agents_agents (last_seen_at)',
  ],
  mysql: [
    `CREATE TABLE agents_agents (
      agent_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
      org_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
      token_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      name VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
      instance VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      os VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      arch VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      capabilities LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
      slots INT NOT NULL,
      version VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      pid BIGINT NOT NULL,
      server VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
      session_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      state VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      first_seen_at BIGINT NOT NULL,
      connected_at BIGINT NOT NULL,
      last_seen_at BIGINT NOT NULL
    )`,
    'CREATE UNIQUE INDEX agents_agents_instance ON agents_agents (token_id, instance)',
    'CREATE INDEX agents_agents_org ON agents_agents (org_id, agent_id)',
    'CREATE INDEX agents_agents_seen ON agents_agents (last_seen_at)',
  ],
});
