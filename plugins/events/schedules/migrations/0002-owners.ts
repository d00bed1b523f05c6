import { lockable, migration } from '../../../../kernel/contracts/index.ts';

/** `owner`: the resource of another plugin to which a schedule belongs; NULL for what a person made. */
export const owners = migration('0002-owners', [
  'ALTER TABLE schedules_schedules ADD COLUMN owner {name}',
  lockable('schedules_schedules'),
]);
