import type { Run } from '../../../../cli/contract.ts';
import { clock } from './clock.ts';
import { formatDue } from './view.ts';

export const run: Run = clock(
  'resume',
  (schedule, output) => `Resumed schedule ${schedule.name}; next due ${formatDue(schedule, output)}`,
);
