import type { Flags } from '../../../cli/contract.ts';

/** Of commands that change several runs. */
export const CHANGE_FLAGS: Flags = {
  all: { type: 'boolean', summary: 'all of them, without a filter' },
  limit: { type: 'number', least: 1, most: 100_000, summary: 'only so many, the newest' },
  yes: { type: 'boolean', short: 'y', summary: 'do it; otherwise the runs are shown, and on a terminal you are asked' },
};
