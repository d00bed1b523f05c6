import type { RunStatus } from './run.ts';

/** All states of a run, in the order in which pages and commands offer them. Imports no code, because the command line reads it. */
export const RUN_STATUSES = [
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'cancelled',
] as const satisfies readonly RunStatus[];
