import { migration } from '../../../../kernel/contracts/index.ts';

/** The events of a run, for the chain of what led to what. */
export const emitters = migration('0004-emitters', [
  'CREATE INDEX bus_events_emitter ON bus_events (project_id, source_name, seq)',
]);
