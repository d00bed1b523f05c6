import { migration } from '../../../../kernel/contracts/index.ts';

/** Projects whose queue has more deliveries than one transaction starts, while there is room for runs. */
export const refills = migration('0004-refills', [
  `CREATE TABLE handlers_refills (
    project_id {id} NOT NULL PRIMARY KEY,
    org_id {id} NOT NULL,
    asked_at {ms} NOT NULL
  ){end}`,
]);
