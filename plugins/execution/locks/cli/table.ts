import { type Command, inGroup } from '../../../../cli/contract.ts';

/** Leases of the project: `svc lock` in scripts, and concurrency groups. */
export const commands: readonly Command[] = inGroup('Look', [
  {
    name: 'locks ls',
    summary: 'list the leases, who holds them and who waits',
    description: 'Queued runs get the lease in the order shown. To free a lease, cancel the run that holds it.',
    examples: [['svc locks ls', 'holders, with their queues in order']],
    load: () => import('./ls.ts'),
  },
]);
