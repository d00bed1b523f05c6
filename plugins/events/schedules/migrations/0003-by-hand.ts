import { migration } from '../../../../kernel/contracts/index.ts';

/** Since when a schedule is paused and by whom, and who triggered its last tick by hand: names of people, as they were. */
export const byHand = migration('0003-by-hand', [
  'ALTER TABLE schedules_schedules ADD COLUMN paused_at {ms}',
  'ALTER TABLE schedules_schedules ADD COLUMN paused_by {name}',
  'ALTER TABLE schedules_schedules ADD COLUMN last_by {name}',
]);
