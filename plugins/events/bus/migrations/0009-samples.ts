import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * What the catalog shows of a large event, sealed, and the event that it is of: the catalog reads no large event. It is NULL
 * for an event that is small, and for those that were recorded before.
 */
export const samples = migration('0009-samples', [
  'ALTER TABLE bus_types ADD COLUMN sample {blob}',
  'ALTER TABLE bus_types ADD COLUMN sample_event {id}',
]);
