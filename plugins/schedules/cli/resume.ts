import type { Run } from '../../../cli/contract.ts';
import { clock } from './clock.ts';
import { dueOf } from './view.ts';

export const run: Run = clock(
  'resume',
  (schedule, output) => `schedule ${schedule.name} ticks again; next due ${dueOf(schedule, output)}`,
);
