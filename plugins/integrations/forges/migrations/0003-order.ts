import { migration, reordered } from '../../../../kernel/contracts/index.ts';

/** A list of webhooks reads no workflow. */
export const workflowsLast = migration('0003-order', {
  sqlite: reordered('forges_webhooks', {
    columns: `project_id TEXT NOT NULL, name TEXT NOT NULL, org_id TEXT NOT NULL, org TEXT NOT NULL,
    project TEXT NOT NULL, webhook_id TEXT NOT NULL, revision TEXT NOT NULL, forge TEXT NOT NULL,
    repo TEXT NOT NULL, api_base TEXT, credential TEXT, auto_register INTEGER NOT NULL, hook_id TEXT,
    secret BLOB NOT NULL, created_at INTEGER NOT NULL, set_at INTEGER NOT NULL, set_by TEXT, old_secret BLOB,
    old_until INTEGER, old_used_at INTEGER, about TEXT, credentials TEXT, workflow BLOB`,
    key: 'project_id, name',
    indexes: [
      'CREATE UNIQUE INDEX forges_webhooks_address ON forges_webhooks (webhook_id)',
      'CREATE INDEX forges_webhooks_newest ON forges_webhooks (project_id, webhook_id)',
    ],
  }),
  mysql: [],
});
