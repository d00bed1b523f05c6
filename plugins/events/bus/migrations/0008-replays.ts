import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * A replay of an event is a further delivery to the same handler: `part` is its id, and these columns say who asked for it
 * (a name, as it was), when, and whether the predicate was passed over.
 */
export const replays = migration('0008-replays', [
  'ALTER TABLE bus_deliveries ADD COLUMN replayed_by {name}',
  'ALTER TABLE bus_deliveries ADD COLUMN replayed_at {ms}',
  'ALTER TABLE bus_deliveries ADD COLUMN forced {flag}',
]);
