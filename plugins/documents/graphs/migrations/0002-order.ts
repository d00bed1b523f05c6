import { migration, reordered } from '../../../../kernel/contracts/index.ts';

/** A list of versions reads no document. */
export const documentsLast = migration('0002-order', {
  sqlite: reordered('graphs_versions', {
    columns: `project_id TEXT NOT NULL, name TEXT NOT NULL, version_number INTEGER NOT NULL, org_id TEXT NOT NULL,
    revision TEXT NOT NULL, digest TEXT NOT NULL, set_at INTEGER NOT NULL, set_by TEXT, about TEXT NOT NULL,
    document BLOB NOT NULL`,
    key: 'project_id, name, version_number',
    indexes: [],
  }),
  mysql: [],
});
