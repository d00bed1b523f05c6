import { migration, reordered } from '../../../../kernel/contracts/index.ts';

/** A list of handlers reads no definition. */
export const definitionsLast = migration('0009-order', {
  sqlite: reordered('handlers_handlers', {
    columns: `project_id TEXT NOT NULL, name TEXT NOT NULL, org_id TEXT NOT NULL, org TEXT NOT NULL,
    project TEXT NOT NULL, handler_id TEXT NOT NULL, revision TEXT NOT NULL, set_by TEXT,
    created_at INTEGER NOT NULL, set_at INTEGER NOT NULL, owner TEXT, predicate TEXT, patterns TEXT NOT NULL,
    about TEXT NOT NULL, definition BLOB NOT NULL`,
    key: 'project_id, name',
    indexes: ['CREATE UNIQUE INDEX handlers_handlers_newest ON handlers_handlers (project_id, handler_id)'],
  }),
  mysql: [],
});
