import type { FlowNode } from '../../../engine/flows/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import type { GraphDocument } from '../generated/graph.ts';
import { asJson } from './graph.ts';
import { compileTemplates } from './values.ts';

export type GraphConcurrency = NonNullable<GraphDocument['concurrency']>;

/** The type of the node that waits for the lease of a run. */
export const LEASE_NODE = 'graph_lease';
/** Its id, which no node of the document can have: those begin with a letter. */
const LEASE = '_lease';

/** The values of a group that can contain expressions. Its key is one. */
const groupTemplates = (concurrency: GraphConcurrency): { [name: string]: Json } =>
  typeof concurrency === 'string'
    ? { group: concurrency }
    : {
        group: asJson(concurrency.group),
        ...(concurrency.key !== undefined && { key: { $expr: concurrency.key } }),
      };

/** Lets the first nodes wait for the lease of the run, which comes last in the list. */
export function withLease(concurrency: GraphConcurrency | undefined, nodes: FlowNode[]): FlowNode[] {
  if (concurrency === undefined) return nodes;
  const { limit, policy = 'queue', throttle } = typeof concurrency === 'string' ? {} : concurrency;
  const options = { ...(limit !== undefined && { limit }), policy, ...(throttle && { throttle: asJson(throttle) }) };
  const lease: FlowNode = {
    id: LEASE,
    type: LEASE_NODE,
    part_of: 'run',
    guards: 'all',
    config: { group: compileTemplates(groupTemplates(concurrency)), ...options },
  };
  return [...nodes.map((node) => (node.needs?.length ? node : { ...node, needs: [LEASE] })), lease];
}
