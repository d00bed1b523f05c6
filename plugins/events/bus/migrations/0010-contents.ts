import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * SQLite reaches what stands behind a large value only by walking through it, so the contents of an event come last in its
 * row. Events that were recorded before keep theirs in `body`, unless they fill more than a page. MySQL keeps large values apart.
 */
export const lastContents = migration('0010-contents', {
  sqlite: [
    'ALTER TABLE bus_events ADD COLUMN content BLOB',
    "UPDATE bus_events SET content = body, body = X'' WHERE LENGTH(body) > 2048",
  ],
  mysql: ['ALTER TABLE bus_events ADD COLUMN content LONGBLOB'],
});
