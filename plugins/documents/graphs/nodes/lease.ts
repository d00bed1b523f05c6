import type { FlowNodeType } from '../../../engine/flows/contract.ts';
import { concurrencyArgs, type Json, type RunConcurrency } from '../../../engine/runs/contract.ts';
import { CONCURRENCY_WAIT } from '../../pipelines/contract.ts';
import { LEASE_NODE } from '../domain/concurrency.ts';

const toText = (value: Json | undefined): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));

/** Waits for the lease of a concurrency group. The run starts when it has the lease. */
export const leaseFlowNode: FlowNodeType = {
  type: LEASE_NODE,
  begin(_tx, { config: { group: names, ...options } }) {
    const { group, key } = names as { group: Json; key?: Json };
    const name = key === undefined ? toText(group) : `${toText(group)}/${toText(key)}`;
    const args = concurrencyArgs('run', options as Omit<RunConcurrency, 'group'>);
    return { wait: { kind: CONCURRENCY_WAIT, name, args, timeout_ms: undefined }, queued: true };
  },
};
