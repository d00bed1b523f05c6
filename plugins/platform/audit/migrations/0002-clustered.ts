import { migration } from '../../../../kernel/contracts/index.ts';
import { rebuildClustered } from '../../retention/contract.ts';

/** On SQLite the entries lie in the order in which they are listed: one page in the log for an entry, and not three. */
export const clusteredEntries = migration('0002-clustered', {
  sqlite: rebuildClustered('audit_entries', {
    columns: `entry_id TEXT NOT NULL, org_id TEXT NOT NULL, project_id TEXT NOT NULL, at BIGINT NOT NULL,
      action TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT NOT NULL, principal_kind TEXT NOT NULL,
      principal_id TEXT NOT NULL, principal_name TEXT NOT NULL, token_id TEXT NOT NULL, request_id TEXT NOT NULL,
      ip TEXT NOT NULL`,
    key: 'org_id, project_id, at, entry_id',
    from: `entry_id, org_id, project_id, at, action, subject, detail, principal_kind, principal_id, principal_name,
      token_id, request_id, ip`,
  }),
  mysql: [],
});
