import { migration, reordered } from '../../../../kernel/contracts/index.ts';

/** A list of artifacts reads no list of parts. */
export const partsLast = migration('0003-order', {
  sqlite: reordered('artifacts_files', {
    columns: `run_id TEXT NOT NULL, path BLOB NOT NULL, org_id TEXT NOT NULL, project_id TEXT NOT NULL,
    blob_id TEXT NOT NULL, store TEXT NOT NULL, size INTEGER NOT NULL, digest TEXT NOT NULL,
    created_at INTEGER NOT NULL, activity_id TEXT, position INTEGER, parts TEXT NOT NULL`,
    key: 'run_id, path',
    indexes: ['CREATE INDEX artifacts_files_blob ON artifacts_files (blob_id)'],
  }),
  mysql: [],
});
