import type { FlowNodeType } from '../../flows/contract.ts';
import type { Json } from '../../runs/contract.ts';
import type { Leases } from '../../locks/contract.ts';
import { LEASE_NODE, RELEASE_NODE } from '../domain/concurrency.ts';
import { filled, shown } from '../domain/holes.ts';
import { ownerOf, WAIT } from './lease-wait.ts';

/** `{group, policy, of}`: waits for the lease of a group. The run starts when it has it. */
export const leaseNode: FlowNodeType = {
  type: LEASE_NODE,
  begin(_tx, { config: { group = '', policy = 'queue', of = 'run' }, evaluate }) {
    const name = shown(filled(group, evaluate));
    return { wait: { kind: WAIT, name, args: { of, policy }, timeout_ms: undefined }, queued: of === 'run' };
  },
};

/** `{lease}`: a job is over, and the node with this name had taken its lease. */
export const releaseNode = (leases: () => Pick<Leases, 'release'>): FlowNodeType => ({
  type: RELEASE_NODE,
  async begin(tx, { run_id, config: { lease = '' }, evaluate }) {
    const taken = evaluate(`jobs[${JSON.stringify(lease)}].outputs`) as { [name: string]: Json };
    if (typeof taken.activity === 'string')
      await leases().release(tx, ownerOf({ run_id, activity_id: taken.activity }, 'job'));
    return { output: null };
  },
});
