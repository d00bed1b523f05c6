import type { FlowNode } from '../../flows/contract.ts';
import type { Concurrency } from '../generated/pipeline.ts';

/** Nodes of a plan that are no job begin so; no job may. */
export const OWN_NODES = 'svc-';
/** Takes the lease of a group. */
export const LEASE_NODE = 'pipeline_lease';
/** Gives the lease of a job back. */
export const RELEASE_NODE = 'pipeline_release';

const LEASE = `${OWN_NODES}lease`;

/** Puts the lease of the run before its first jobs. */
export function withLease(concurrency: Concurrency | undefined, nodes: FlowNode[]): FlowNode[] {
  if (concurrency === undefined) return nodes;
  const lease: FlowNode = {
    id: LEASE,
    type: LEASE_NODE,
    part_of: 'run',
    guards: 'all',
    config: { ...groupOf(concurrency), of: 'run' },
  };
  return [lease, ...nodes.map((node) => (node.needs?.length ? node : { ...node, needs: [LEASE] }))];
}

/** A job between the taking and the giving back of its lease. It has the lease for all its attempts and combinations. */
export function guarded(concurrency: Concurrency | undefined, job: FlowNode): FlowNode[] {
  if (concurrency === undefined) return [job];
  const { needs, if: wanted, ...rest } = job;
  const lease = `${LEASE}-${job.id}`;
  const part_of = { node: job.id, type: job.type };
  return [
    {
      ...{
        id: lease,
        type: LEASE_NODE,
        part_of,
        guards: 'next' as const,
        config: { ...groupOf(concurrency), of: 'job' },
        needs,
        reads: job.reads,
      },
      ...(wanted ? { if: wanted } : {}),
    },
    { ...rest, needs: [lease] },
    {
      ...{
        id: `${OWN_NODES}release-${job.id}`,
        type: RELEASE_NODE,
        part_of,
        config: { lease },
        needs: [job.id],
        reads: [lease],
      },
      if: { text: 'true', always: true },
    },
  ];
}

const groupOf = (concurrency: Concurrency) =>
  typeof concurrency === 'string'
    ? { group: concurrency, policy: 'queue' }
    : { group: concurrency.group, policy: concurrency.policy ?? 'queue' };
