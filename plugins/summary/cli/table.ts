import type { Command } from '../../../cli/contract.ts';

export const commands: readonly Command[] = [
  {
    name: 'summary',
    group: 'Look',
    summary: 'show how the project stands: runs, waits, agents, failures and what needs somebody',
    flags: {
      window: {
        type: 'string',
        value: '<span>',
        summary: 'how far back runs that are over are counted: 1h, 24h (default) or 7d',
      },
    },
    examples: [['svc summary --window 7d', 'the last week']],
    load: () => import('./summary.ts'),
  },
];
