import { migration, reordered } from '../../../../kernel/contracts/index.ts';

/** A list of accounts reads no tokens. */
export const tokensLast = migration('0002-order', {
  sqlite: reordered('accounts_accounts', {
    columns: `project_id TEXT NOT NULL, name TEXT NOT NULL, org_id TEXT NOT NULL, account_id TEXT NOT NULL,
    provider TEXT NOT NULL, far_id TEXT NOT NULL, far_label TEXT NOT NULL, status TEXT NOT NULL,
    status_at INTEGER NOT NULL, granter_id TEXT NOT NULL, granter TEXT NOT NULL, granted_at INTEGER NOT NULL,
    renewed_at INTEGER, expires_at INTEGER, renewable INTEGER NOT NULL, epoch INTEGER NOT NULL, due_at INTEGER,
    failures INTEGER NOT NULL, last_used_at INTEGER, last_used_by TEXT, checked_at INTEGER,
    lock_version INTEGER NOT NULL DEFAULT 0, reason TEXT, last_error TEXT, scopes_asked TEXT NOT NULL,
    scopes TEXT NOT NULL, tokens BLOB NOT NULL`,
    key: 'project_id, name',
    indexes: [
      'CREATE INDEX accounts_accounts_due ON accounts_accounts (due_at)',
      'CREATE INDEX accounts_accounts_granter ON accounts_accounts (granter_id, org_id)',
      'CREATE UNIQUE INDEX accounts_accounts_newest ON accounts_accounts (project_id, account_id)',
    ],
  }),
  mysql: [],
});
