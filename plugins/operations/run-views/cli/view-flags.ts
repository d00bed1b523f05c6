import type { Flags } from '../../../../cli/contract.ts';

/** Of the commands that only read. Those that change runs show their whole filter on the command line. */
export const VIEW_FLAG: Flags = {
  view: {
    type: 'string',
    value: '<name>',
    summary: 'the filter of this saved view; other flags replace the same ones of it',
  },
};
