import type { WaitResolver } from '../../../engine/runs/contract.ts';
import type { LeaseOwnerKind } from '../contract.ts';
import { HELD_BY_COMMAND, HELD_BY_RUN, grantedOutcome } from './lock-wait.ts';

/** Lease owners of waiting scripts: the grant ends their wait. */
export const scriptOwners = (resolver: () => WaitResolver): readonly LeaseOwnerKind[] => [
  scriptOwner(HELD_BY_RUN, true, resolver),
  // The command of one job also excludes commands of the run's other jobs.
  scriptOwner(HELD_BY_COMMAND, false, resolver),
];

const scriptOwner = (kind: string, shares: boolean, resolver: () => WaitResolver): LeaseOwnerKind => ({
  kind,
  shares,
  async granted(tx, { owner, fence }) {
    const [activity_id = '', position = ''] = owner.id.split('/');
    const wait = { run_id: owner.run_id, activity_id, position: Number(position) };
    const resolved = await resolver().resolveAll(tx, [wait], () => grantedOutcome(fence));
    return resolved.length === 1;
  },
});
