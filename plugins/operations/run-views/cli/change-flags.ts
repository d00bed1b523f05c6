import type { Flags } from '../../../../cli/contract.ts';

/** Of commands that change several runs. */
export const CHANGE_FLAGS: Flags = {
  all: { type: 'boolean', summary: 'all runs, without a filter' },
  limit: { type: 'number', least: 1, most: 100_000, summary: 'at most this many runs, newest first' },
  yes: {
    type: 'boolean',
    short: 'y',
    summary: 'act without asking; by default, show the runs and ask',
  },
};
