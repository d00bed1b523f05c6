import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * `equality` has the digests of the members of an event that a predicate compares, and of what these must equal; the members are in
 * `equality_members`, sealed. A wait of an older server has neither: its predicate is evaluated for every event of the type.
 */
const STATEMENTS = [
  'ALTER TABLE bus_waits ADD COLUMN equality {id}',
  'ALTER TABLE bus_waits ADD COLUMN equality_members {blob}',
  'CREATE INDEX bus_waits_equality ON bus_waits (project_id, event_seq, type, equality)',
];

export const equalities = migration('0014-equalities', STATEMENTS, { additive: true });
