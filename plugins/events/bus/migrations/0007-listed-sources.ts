import { migration } from '../../../../kernel/contracts/index.ts';
import { SOURCE_INDEX_CONDITION } from '../store/listed-sources.ts';

/** On SQLite, events that their types name as well are not in the index of sources: each run has three of them. */
export const listedSources = migration('0007-listed-sources', {
  sqlite: [
    'DROP INDEX bus_events_source',
    `CREATE INDEX bus_events_source ON bus_events (project_id, source, seq) WHERE ${SOURCE_INDEX_CONDITION}`,
  ],
  mysql: [],
});
