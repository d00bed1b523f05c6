import { migration, reordered } from '../../../../kernel/contracts/index.ts';

/** A list of credentials reads no secret fields. */
export const fieldsLast = migration('0003-order', {
  sqlite: reordered('credentials_credentials', {
    columns: `project_id TEXT NOT NULL, name TEXT NOT NULL, org_id TEXT NOT NULL, credential_id TEXT NOT NULL,
    kind TEXT NOT NULL, set_at INTEGER NOT NULL, fields BLOB NOT NULL`,
    key: 'project_id, name',
    indexes: [
      'CREATE UNIQUE INDEX credentials_credentials_newest ON credentials_credentials (project_id, credential_id)',
    ],
  }),
  mysql: [],
});
