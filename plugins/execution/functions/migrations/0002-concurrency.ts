import { migration, reordered } from '../../../../kernel/contracts/index.ts';

const CONCURRENCY = migration('', ['ALTER TABLE functions_functions ADD COLUMN concurrency {int}']);

/** What a page about a function shows of its options. A list reads no schemas of inputs, which have up to 64 KiB. */
export const concurrencyColumn = migration('0002-concurrency', {
  sqlite: [
    ...CONCURRENCY.sqlite,
    ...reordered('functions_functions', {
      columns: `org_id TEXT NOT NULL, project_id TEXT NOT NULL, name TEXT NOT NULL, version TEXT NOT NULL,
      versions TEXT NOT NULL, timeout TEXT, concurrency INTEGER, registered_at INTEGER NOT NULL, seen_at INTEGER NOT NULL,
      input TEXT`,
      key: 'org_id, project_id, name, version',
      indexes: [],
    }),
  ],
  mysql: CONCURRENCY.mysql,
});
