import type { Run } from '../../../../cli/contract.ts';
import { clock } from './clock.ts';
import { formatDue } from './view.ts';

export const run: Run = clock(
  'resume',
  (schedule, output) => `schedule ${schedule.name} is resumed; next due ${formatDue(schedule, output)}`,
);
