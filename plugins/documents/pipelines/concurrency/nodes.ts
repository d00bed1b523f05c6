import type { FlowNodeType } from '../../../engine/flows/contract.ts';
import { concurrencyArgs, type Json, type RunConcurrency } from '../../../engine/runs/contract.ts';
import type { Leases } from '../../../execution/locks/contract.ts';
import { LEASE_NODE, RELEASE_NODE } from '../domain/concurrency.ts';
import { fillTemplates, toText } from '../domain/templates.ts';
import { CONCURRENCY_WAIT } from '../contract/concurrency-wait.ts';
import { leaseOwner } from './lease-wait.ts';

/** Waits for the lease of a group, with the config `{group, key, limit, policy, throttle, of}`. The run starts when it has the lease. */
export const leaseNode: FlowNodeType = {
  type: LEASE_NODE,
  begin(_tx, { config: { group = '', key, of = 'run', ...options }, evaluate }) {
    const name = toText(fillTemplates(group, evaluate));
    return {
      wait: {
        kind: CONCURRENCY_WAIT,
        name: key === undefined ? name : keyedGroup(name, evaluate(String(key))),
        args: concurrencyArgs(of === 'job' ? 'job' : 'run', options as Omit<RunConcurrency, 'group'>),
        timeout_ms: undefined,
      },
      queued: of === 'run',
    };
  },
};

/** The group of one key. */
const keyedGroup = (group: string, key: Json): string => `${group}/${toText(key)}`;

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
