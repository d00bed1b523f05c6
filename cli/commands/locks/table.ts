import type { Command } from '../../command.ts';

/** Leases of the project: `svc lock` in scripts, and concurrency groups. */
export const lockCommands: readonly Command[] = [
  {
    name: 'locks ls',
    summary: 'list the leases that are held, who holds them and who waits',
    about: 'Each line of a queue is granted after the one above it. To free a lease, cancel the run that holds it.',
    args: [],
    flags: {},
    examples: [['svc locks ls', 'holders, and their queues in order']],
    load: () => import('./ls.ts'),
  },
];
