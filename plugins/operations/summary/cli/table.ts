import type { Command } from '../../../../cli/contract.ts';

export const commands: readonly Command[] = [
  {
    name: 'summary',
    group: 'Look',
    summary: 'show an overview of the project: runs, waits, agents, failures and what needs attention',
    flags: {
      window: {
        type: 'string',
        value: '<span>',
        summary: 'count runs that ended in the last 1h, 24h (default) or 7d',
      },
    },
    examples: [['svc summary --window 7d', 'the last week']],
    load: () => import('./summary.ts'),
  },
];
