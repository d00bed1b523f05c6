import type { FlowNodeType } from '../../../engine/flows/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import type { Leases } from '../../../execution/locks/contract.ts';
import { LEASE_NODE, RELEASE_NODE } from '../domain/concurrency.ts';
import { fillTemplates, toText } from '../domain/templates.ts';
import { leaseOwner, WAIT } from './lease-wait.ts';

/** Waits for the lease of a group, with the config `{group, policy, of}`. The run starts when it has the lease. */
export const leaseNode: FlowNodeType = {
  type: LEASE_NODE,
  begin(_tx, { config: { group = '', policy = 'queue', of = 'run' }, evaluate }) {
    const name = toText(fillTemplates(group, evaluate));
    return { wait: { kind: WAIT, name, args: { of, policy }, timeout_ms: undefined }, queued: of === 'run' };
  },
};

/** Releases the lease of a job that has ended, with the config `{lease}`: the node that took it. */
export const releaseNode = (leases: () => Pick<Leases, 'release'>): FlowNodeType => ({
  type: RELEASE_NODE,
  async begin(tx, { run_id, config: { lease = '' }, evaluate }) {
    const granted = evaluate(`jobs[${JSON.stringify(lease)}].outputs`) as { [name: string]: Json };
    if (typeof granted.activity === 'string')
      await leases().release(tx, leaseOwner({ run_id, activity_id: granted.activity }, 'job'));
    return { output: null };
  },
});
