import type { RunView } from './answers.ts';

/** All states of a run, in the order in which commands offer them. */
export const RUN_STATUSES = [
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'cancelled',
] as const satisfies readonly RunView['status'][];
