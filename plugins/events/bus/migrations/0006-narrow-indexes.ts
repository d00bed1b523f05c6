import { migration } from '../../../../kernel/contracts/index.ts';

/** On SQLite an index holds only events that are looked for by it: most have neither a key nor a dedup text. */
export const narrowIndexes = migration('0006-narrow-indexes', {
  sqlite: [
    'DROP INDEX bus_events_dedup',
    'CREATE UNIQUE INDEX bus_events_dedup ON bus_events (project_id, dedup_digest) WHERE dedup_digest IS NOT NULL',
    'DROP INDEX bus_events_key',
    'CREATE INDEX bus_events_key ON bus_events (project_id, key_digest, seq) WHERE key_digest IS NOT NULL',
  ],
  mysql: [],
});
