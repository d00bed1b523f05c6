import type { Flags } from '../../../../cli/contract.ts';

/** Of commands that change several runs. */
export const CHANGE_FLAGS: Flags = {
  all: { type: 'boolean', summary: 'select all runs, without a filter' },
  limit: { type: 'number', least: 1, most: 100_000, summary: 'maximum number of runs, newest first' },
  yes: {
    type: 'boolean',
    short: 'y',
    summary: 'skip the confirmation; by default, the command shows the runs and asks',
  },
};
