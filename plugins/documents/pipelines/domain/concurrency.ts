import type { FlowNode } from '../../../engine/flows/contract.ts';
import type { Concurrency } from '../generated/pipeline.ts';
import { readCondition } from './templates.ts';

/** Nodes of a plan that are no job begin so; no job may. */
export const RESERVED_NODES = 'svc-';
/** The node type that takes the lease of a group. */
export const LEASE_NODE = 'pipeline_lease';
/** The node type that releases the lease of a job. */
export const RELEASE_NODE = 'pipeline_release';

const LEASE = `${RESERVED_NODES}lease`;

/** Puts the lease of the run before its first jobs. */
export function withLease(concurrency: Concurrency | undefined, nodes: FlowNode[]): FlowNode[] {
  if (concurrency === undefined) return nodes;
  const lease: FlowNode = {
    id: LEASE,
    type: LEASE_NODE,
    part_of: 'run',
    guards: 'all',
    config: { ...toGroup(concurrency), of: 'run' },
  };
  return [lease, ...nodes.map((node) => (node.needs?.length ? node : { ...node, needs: [LEASE] }))];
}

/**
 * Wraps a job in nodes that take and release its lease. The job holds the lease for all its attempts and combinations.
 */
export function withJobLease(concurrency: Concurrency | undefined, job: FlowNode): FlowNode[] {
  if (concurrency === undefined) return [job];
  const { needs, if: condition, ...rest } = job;
  const lease = `${LEASE}-${job.id}`;
  const part_of = { node: job.id, type: job.type };
  return [
    {
      id: lease,
      type: LEASE_NODE,
      part_of,
      guards: 'next' as const,
      config: { ...toGroup(concurrency), of: 'job' },
      needs,
      reads: job.reads,
      ...(condition ? { if: condition } : {}),
    },
    { ...rest, needs: [lease] },
    {
      id: `${RESERVED_NODES}release-${job.id}`,
      type: RELEASE_NODE,
      part_of,
      config: { lease },
      needs: [job.id],
      reads: [lease],
      if: { text: 'true', always: true },
    },
  ];
}

function toGroup(concurrency: Concurrency) {
  if (typeof concurrency === 'string') return { group: concurrency, policy: 'queue' };
  const { group, key, limit, policy = 'queue', throttle } = concurrency;
  return {
    group,
    policy,
    ...(key !== undefined && { key: readCondition(key).expression }),
    ...(limit !== undefined && { limit }),
    ...(throttle !== undefined && { throttle: { limit: throttle.limit, period: throttle.period } }),
  };
}
