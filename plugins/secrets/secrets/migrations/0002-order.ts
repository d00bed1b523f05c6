import { migration, reordered } from '../../../../kernel/contracts/index.ts';

/** A list of secrets reads no value. */
export const valuesLast = migration('0002-order', {
  sqlite: reordered('secrets_secrets', {
    columns: `project_id TEXT NOT NULL, name TEXT NOT NULL, org_id TEXT NOT NULL, secret_id TEXT NOT NULL,
    value_bytes INTEGER NOT NULL, set_at INTEGER NOT NULL, value BLOB NOT NULL`,
    key: 'project_id, name',
    indexes: ['CREATE UNIQUE INDEX secrets_secrets_newest ON secrets_secrets (project_id, secret_id)'],
  }),
  mysql: [],
});
