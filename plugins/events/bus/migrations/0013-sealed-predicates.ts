import { migration } from '../../../../kernel/contracts/index.ts';

/** A predicate that reads values of its run is sealed with them. Other predicates stay in `predicate`. */
export const sealedPredicates = migration('0013-sealed-predicates', [
  'ALTER TABLE bus_waits ADD COLUMN sealed_predicate {blob}',
]);
